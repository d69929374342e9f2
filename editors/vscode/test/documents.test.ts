import assert from "node:assert/strict";
import { test } from "node:test";
import { asOverview, asReviews, asVersion, asWatchEvent, FormatError } from "../src/documents";

test("a thread that cannot be read has no comments and no placement", () => {
  const [view] = asReviews({ threads: [{ id: "half", file: "/x/half.md", diagnostics: [] }] });
  assert.deepEqual(view?.comments, []);
  assert.equal(view?.placement, null);
});

test("unknown fields are ignored", () => {
  const version = asVersion({ version: "1", json: 1, features: [], later: true });
  assert.equal(version.version, "1");
});

test("a document of another form is refused with the name of the field", () => {
  assert.throws(() => asReviews({ threads: {} }), /"threads"/);
  assert.throws(() => asReviews({ threads: [{ id: 3 }] }), FormatError);
  assert.throws(() => asOverview([]), /not an object/);
  assert.throws(() => asWatchEvent({ kind: "review", id: "a" }), /"event"/);
});

// A reporter for Node.js: the names of the tests that failed, one per line, as patterns for `--test-name-pattern`. A line
// with `!` means that something else failed.
export default async function* (events) {
  for await (const { type, data } of events) {
    if (type !== "test:fail") continue;
    const { failureType } = data.details.error;
    if (data.details.type !== "suite" && failureType !== "hookFailed") {
      yield `/^${data.name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")}$/\n`;
    } else if (failureType !== "subtestsFailed") {
      yield "!\n";
    }
  }
}

// Addresses of documents that only exist in the editor; pure.

export const OLD_SCHEME = "skein-old";
export const PREVIEW_SCHEME = "skein-preview";
export const SUGGEST_SCHEME = "skein-suggest";
export const BRIEF_SCHEME = "skein-brief";

export interface ThreadAddress {
  root: string;
  id: string;
  side: "old" | "now";
}

export function formatQuery(address: ThreadAddress): string {
  return new URLSearchParams({ ...address }).toString();
}

/** Returns undefined if the query was not made by `formatQuery`. */
export function parseQuery(query: string): ThreadAddress | undefined {
  const fields = new URLSearchParams(query);
  const root = fields.get("root");
  const id = fields.get("id");
  return root && id ? { root, id, side: fields.get("side") === "now" ? "now" : "old" } : undefined;
}

// The view of reviews: whose turn it is, drafts, and all open threads by file; pure.
import type { Overview, ReviewRow } from "../documents";
import { parsePlace } from "../paths";
import type { TreeNode } from "./node";

export function reviewNodes(overview: Overview): TreeNode[] {
  const { root } = overview;
  const open = [...overview.waiting_on_reviewer, ...overview.waiting_on_agent];
  return [
    section(root, "you", "Waiting on You", "bell-dot", overview.waiting_on_reviewer, true),
    section(root, "drafts", "Drafts", "edit", overview.drafts, true),
    section(root, "agent", "Waiting on an Agent", "hubot", overview.waiting_on_agent, false),
    files(root, open),
    section(root, "unusable", "Cannot Be Read", "warning", overview.unusable ?? [], false),
  ].filter((node) => node.children?.length !== 0);
}

function section(
  root: string,
  name: string,
  label: string,
  icon: string,
  rows: ReviewRow[],
  expanded: boolean,
): TreeNode {
  return {
    id: `${root}/${name}`,
    label,
    description: String(rows.length),
    icon,
    contextValue: `section ${name}`,
    expanded,
    root,
    children: rows.map((row) => threadNode(root, name, row)),
  };
}

function files(root: string, rows: ReviewRow[]): TreeNode {
  const byPath = new Map<string, ReviewRow[]>();
  for (const row of rows) {
    const path = pathOf(row);
    byPath.set(path, [...(byPath.get(path) ?? []), row]);
  }
  const children = [...byPath]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, each]): TreeNode => ({
      id: `${root}/file/${path}`,
      label: path,
      description: String(each.length),
      icon: "file",
      contextValue: "file",
      root,
      path,
      children: each.sort((a, b) => lineOf(a) - lineOf(b)).map((row) => threadNode(root, "files", row)),
    }));
  return { id: `${root}/files`, label: "By File", description: String(children.length), icon: "files", root, children };
}

function threadNode(root: string, where: string, row: ReviewRow): TreeNode {
  const draft = row.status === "draft";
  const proposed = row.proposed_resolved === true;
  const words = ["thread", draft ? "draft" : row.status === "resolved" ? "resolved" : "open"];
  if (proposed) {
    words.push("proposed");
  }
  const notes = [...stateNotes(row), proposed ? `${row.last_author ?? "an agent"} proposes to resolve` : ""];
  return {
    id: `${root}/${where}/${row.id}`,
    label: labelOf(row, where),
    description: [row.title, ...notes].filter((note) => note !== "").join(", "),
    tooltip: `${row.title}\n${row.at ?? row.file}`,
    icon: proposed ? "pass" : draft ? "edit" : row.usable ? "comment" : "warning",
    contextValue: words.join(" "),
    command: "skein.revealThread",
    root,
    threadId: row.id,
  };
}

/** The place, which is short: the view is narrow. Below a file, only the lines. */
function labelOf(row: ReviewRow, where: string): string {
  if (row.at === null) {
    return row.id;
  }
  const { path, lines } = parsePlace(row.at);
  const range = lines && (lines.start === lines.end ? `${lines.start + 1}` : `${lines.start + 1}-${lines.end + 1}`);
  if (where === "files") {
    return range === undefined ? "File" : `${lines?.start === lines?.end ? "Line" : "Lines"} ${range}`;
  }
  const name = path.split("/").at(-1) ?? path;
  return range === undefined ? name : `${name}:${range}`;
}

const NOTED_STATES = new Set(["edited", "replaced", "moved", "gone"]);

function stateNotes(row: ReviewRow): string[] {
  const state = row.state && NOTED_STATES.has(row.state) ? [row.state] : [];
  return row.claim ? [...state, `claimed by ${row.claim.by}`] : state;
}

function pathOf(row: ReviewRow): string {
  return row.at === null ? (row.target?.path ?? row.file) : parsePlace(row.at).path;
}

function lineOf(row: ReviewRow): number {
  return row.at === null ? 0 : (parsePlace(row.at).lines?.start ?? 0);
}

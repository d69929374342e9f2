// The view of reviews: whose turn it is, drafts, damaged files, and all open threads by file; pure.
import type { Diagnostic, Overview, ReviewRow } from "../documents";
import { parsePlace } from "../paths";
import { age } from "./age";
import type { TreeNode } from "./node";
import { shortPaths } from "./short_paths";

/** What the nodes of one overview have in common. */
interface Scope {
  root: string;
  /** The name of each path in the lists of several files. */
  names: Map<string, string>;
  now: Date;
}

export function reviewNodes(overview: Overview, now: Date): TreeNode[] {
  const { waiting_on_reviewer: you, waiting_on_agent: agent, drafts } = overview;
  const scope = { root: overview.root, names: shortPaths([...you, ...agent, ...drafts].map(pathOf)), now };
  return [
    section(scope, "you", "Waiting on You", "bell-dot", you, true),
    damaged(scope, overview.unusable ?? []),
    section(scope, "drafts", "Drafts", "edit", drafts, true),
    section(scope, "agent", "Waiting on an Agent", "hubot", agent, false),
    files(scope, [...you, ...agent]),
  ].filter((node) => node.children?.length !== 0);
}

/** The last comment of a thread in one line: its author, its age and its text. */
export function describeLast(row: ReviewRow, now: Date): string {
  const author = row.last_author ?? "";
  const who = row.proposed_resolved === true ? `${author || "an agent"} proposes to resolve` : author;
  const head = [who, age(row.updated_at, now) ?? ""].filter((text) => text !== "").join(", ");
  const text = row.last_line ?? row.title;
  return head === "" ? text : `${head}: ${text}`;
}

function section(
  scope: Scope,
  name: string,
  label: string,
  icon: string,
  rows: ReviewRow[],
  expanded: boolean,
): TreeNode {
  return {
    id: `${scope.root}/${name}`,
    label,
    description: String(rows.length),
    icon,
    contextValue: `section ${name}`,
    expanded,
    root: scope.root,
    children: rows.map((row) => threadNode(scope, name, row)),
  };
}

/** The thread files that cannot be read, each with the reason. */
function damaged({ root }: Scope, rows: ReviewRow[]): TreeNode {
  return {
    id: `${root}/unusable`,
    label: "Cannot Be Read",
    description: String(rows.length),
    icon: "warning",
    contextValue: "section unusable",
    expanded: true,
    root,
    children: rows.map((row) => {
      const problem = row.diagnostics.find((each) => each.severity === "error") ?? row.diagnostics[0];
      return {
        id: `${root}/unusable/${row.id}`,
        label: row.id,
        description: problem === undefined ? "" : describeProblem(problem),
        tooltip: [row.file, ...row.diagnostics.map(describeProblem), "skein doctor explains it."].join("\n"),
        icon: "warning",
        contextValue: "thread damaged",
        command: "skein.openThreadFile",
        root,
        path: row.file,
        line: Math.max(0, (problem?.line ?? 1) - 1),
      };
    }),
  };
}

function describeProblem({ line, message }: Diagnostic): string {
  return line === undefined ? message : `line ${line}: ${message}`;
}

function files(scope: Scope, rows: ReviewRow[]): TreeNode {
  const { root } = scope;
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
      children: each.sort((a, b) => lineOf(a) - lineOf(b)).map((row) => threadNode(scope, "files", row)),
    }));
  return { id: `${root}/files`, label: "By File", description: String(children.length), icon: "files", root, children };
}

function threadNode(scope: Scope, where: string, row: ReviewRow): TreeNode {
  const { root, now } = scope;
  const draft = row.status === "draft";
  const proposed = row.proposed_resolved === true;
  const words = ["thread", draft ? "draft" : row.status === "resolved" ? "resolved" : "open"];
  if (proposed) {
    words.push("proposed");
  }
  const last = draft ? row.title : describeLast(row, now);
  return {
    id: `${root}/${where}/${row.id}`,
    label: labelOf(scope, row, where),
    description: [...stateNotes(row), last].filter((note) => note !== "").join(", "),
    tooltip: [row.at ?? row.file, row.title, ...((row.comment_count ?? 1) > 1 ? [last] : [])].join("\n"),
    icon: proposed ? "pass" : draft ? "edit" : "comment",
    contextValue: words.join(" "),
    command: "skein.revealThread",
    root,
    threadId: row.id,
  };
}

/** The place, which is short: the view is narrow. Below a file, only the lines. */
function labelOf({ names }: Scope, row: ReviewRow, where: string): string {
  if (row.at === null) {
    return row.id;
  }
  const { path, lines } = parsePlace(row.at);
  const range = lines && (lines.start === lines.end ? `${lines.start + 1}` : `${lines.start + 1}-${lines.end + 1}`);
  if (where === "files") {
    return range === undefined ? "File" : `${lines?.start === lines?.end ? "Line" : "Lines"} ${range}`;
  }
  const name = names.get(path) ?? path;
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

// An item of a view; plain data, so that views are built and tested without VS Code.

export interface TreeNode {
  /** Unique in its view, and the same after an update, so that the view keeps what is unfolded. */
  id: string;
  label: string;
  description?: string;
  tooltip?: string;
  /** The name of a codicon. */
  icon?: string;
  /** Words that the `when` clauses of the menus look for. */
  contextValue?: string;
  expanded?: boolean;
  checked?: boolean;
  children?: TreeNode[];
  /** The command that a click runs, with the node as its argument. */
  command?: string;
  /** What commands of the menus need. */
  root?: string;
  threadId?: string;
  checkpointId?: string;
  step?: { id: string; text: string };
  /** Below the root, or absolute for a file that need not be below it. */
  path?: string;
  /** Counted from 0. */
  line?: number;
}

/** Puts the nodes of several roots below a node for each; the nodes of a single root are at the top. */
export function byRoot(roots: { path: string; name: string; nodes: TreeNode[] }[]): TreeNode[] {
  if (roots.length === 1) {
    return roots[0]?.nodes ?? [];
  }
  return roots
    .filter((root) => root.nodes.length > 0)
    .map((root) => ({
      id: root.path,
      label: root.name,
      icon: "root-folder",
      contextValue: "root",
      expanded: true,
      root: root.path,
      children: root.nodes,
    }));
}

/** Makes the ids of all nodes unique: files by other programs may name a step or a file twice, and VS Code refuses equal ids. */
export function withUniqueIds(nodes: TreeNode[], seen = new Set<string>()): TreeNode[] {
  return nodes.map((node) => {
    let id = node.id;
    for (let count = 2; seen.has(id); count += 1) {
      id = `${node.id}#${count}`;
    }
    seen.add(id);
    return { ...node, id, ...(node.children === undefined ? {} : { children: withUniqueIds(node.children, seen) }) };
  });
}

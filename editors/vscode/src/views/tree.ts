// A view of VS Code that shows nodes.
import * as vscode from "vscode";
import { type TreeNode, withUniqueIds } from "./node";

export class NodeView implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  private nodes: TreeNode[] = [];
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  readonly view: vscode.TreeView<TreeNode>;

  constructor(id: string) {
    this.view = vscode.window.createTreeView(id, { treeDataProvider: this, manageCheckboxStateManually: true });
  }

  show(nodes: TreeNode[], badge = 0): void {
    this.nodes = withUniqueIds(nodes);
    this.view.badge = badge === 0 ? undefined : { value: badge, tooltip: `${badge} threads wait on you` };
    this.changed.fire();
  }

  getChildren(node?: TreeNode): TreeNode[] {
    return node === undefined ? this.nodes : (node.children ?? []);
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    const states = vscode.TreeItemCollapsibleState;
    const folds = node.children !== undefined && node.children.length > 0;
    const item = new vscode.TreeItem(node.label, folds ? (node.expanded ? states.Expanded : states.Collapsed) : states.None);
    item.id = node.id;
    item.description = node.description ?? "";
    item.tooltip = node.tooltip ?? node.label;
    item.contextValue = node.contextValue ?? "";
    item.accessibilityInformation = { label: [node.label, node.description ?? ""].filter(Boolean).join(", ") };
    if (node.icon !== undefined) {
      item.iconPath = new vscode.ThemeIcon(node.icon);
    }
    if (node.checked !== undefined) {
      const { Checked, Unchecked } = vscode.TreeItemCheckboxState;
      item.checkboxState = node.checked ? Checked : Unchecked;
    }
    if (node.command !== undefined) {
      item.command = { command: node.command, title: "Open", arguments: [node] };
    }
    return item;
  }

  dispose(): void {
    this.view.dispose();
    this.changed.dispose();
  }
}

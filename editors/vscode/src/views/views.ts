// Fills the three views and the status bar, and keeps them up to date.
import * as vscode from "vscode";
import { Backoff } from "../backoff";
import type { Log } from "../cli";
import type { Overview } from "../documents";
import { messageOf, showError } from "../messages";
import type { Root, Roots } from "../roots";
import { Work } from "../work";
import { byRoot, type TreeNode } from "./node";
import { reviewNodes } from "./reviews_nodes";
import { sessionNodes } from "./session_nodes";
import { statusText } from "./status_text";
import { NodeView } from "./tree";
import { workNodes } from "./work_nodes";

/** Events come in groups, and a list of everything costs more than one file. */
const REFRESH_DELAY = 300;
/** The ages of threads are shown in minutes at the finest. */
const AGE_INTERVAL = 60_000;

type Kind = "review" | "checkpoint" | "session";

/** The views exist before the program is found, so that they can say why they are empty. */
export class Views implements vscode.Disposable {
  readonly reviews = new NodeView("skein.reviews");
  readonly work = new NodeView("skein.work");
  readonly sessions = new NodeView("skein.sessions");
  readonly status = vscode.window.createStatusBarItem("skein.status", vscode.StatusBarAlignment.Left, 0);

  constructor() {
    this.status.name = "Skein";
    this.status.command = "skein.reviews.focus";
  }

  clear(): void {
    for (const view of [this.reviews, this.work, this.sessions]) {
      view.show([]);
    }
    this.status.hide();
  }

  dispose(): void {
    for (const part of [this.reviews, this.work, this.sessions, this.status]) {
      part.dispose();
    }
  }
}

export class ViewUpdater implements vscode.Disposable {
  private readonly disposables: vscode.Disposable[];
  private readonly timers = new Map<Kind, NodeJS.Timeout>();
  private begun = 0;
  /** The number of the list of each kind that is shown: an older one that ends later is not shown. */
  private readonly shown = new Map<Kind, number>();
  private readonly backoffs: Record<Kind, Backoff> = { review: new Backoff(), checkpoint: new Backoff(), session: new Backoff() };
  private disposed = false;
  /** What the view of reviews shows, by root. */
  private overviews = new Map<string, Overview>();
  private readonly ages: NodeJS.Timeout;

  constructor(
    private readonly views: Views,
    private readonly roots: Roots,
    private readonly log: Log,
  ) {
    this.disposables = [
      roots.onDidChange(() => this.refreshAll()),
      roots.onEvent(({ event }) => this.handleEvent(event?.kind)),
      views.work.view.onDidChangeVisibility(() => this.refreshLater("checkpoint", 0)),
      views.sessions.view.onDidChangeVisibility(() => this.refreshLater("session", 0)),
      views.work.view.onDidChangeCheckboxState((event) => this.setSteps(event.items)),
    ];
    this.ages = setInterval(() => this.showAges(), AGE_INTERVAL).unref();
  }

  dispose(): void {
    this.disposed = true;
    clearInterval(this.ages);
    for (const disposable of this.disposables) {
      disposable.dispose();
    }
    for (const timer of this.timers.values()) {
      clearTimeout(timer);
    }
    this.views.clear();
  }

  refreshAll(): void {
    for (const kind of ["review", "checkpoint", "session"] as const) {
      this.refreshLater(kind, 0);
    }
  }

  private handleEvent(kind: string | undefined): void {
    if (kind === "review" || kind === "checkpoint" || kind === "session") {
      this.refreshLater(kind, REFRESH_DELAY);
    } else {
      this.refreshAll();
    }
  }

  private refreshLater(kind: Kind, delay: number): void {
    clearTimeout(this.timers.get(kind));
    this.timers.set(
      kind,
      setTimeout(() => void this.refresh(kind), delay),
    );
  }

  private refresh(kind: Kind): Promise<void> {
    switch (kind) {
      case "review":
        return this.refreshReviews();
      case "checkpoint":
        return this.refreshView(kind, this.views.work, async (root) =>
          workNodes(root.path, await new Work(root.cli).checkpoints(), new Date()),
        );
      case "session":
        return this.refreshView(kind, this.views.sessions, async (root) =>
          sessionNodes(root.path, await new Work(root.cli).sessions()),
        );
    }
  }

  private async refreshReviews(): Promise<void> {
    const overviews = new Map<string, Overview>();
    const nodes = await this.collect("review", async (root) => {
      const overview = await root.reviews.overview();
      overviews.set(root.path, overview);
      return reviewNodes(overview, new Date());
    });
    if (nodes === undefined) {
      return;
    }
    this.overviews = overviews;
    this.views.reviews.show(nodes, this.countWaiting());
    const status = statusText([...overviews.values()]);
    if (status === undefined) {
      this.views.status.hide();
      return;
    }
    this.views.status.text = status.text;
    this.views.status.tooltip = status.tooltip;
    this.views.status.accessibilityInformation = { label: status.tooltip, role: "button" };
    this.views.status.show();
  }

  private countWaiting(): number {
    return [...this.overviews.values()].reduce((sum, overview) => sum + overview.waiting_on_reviewer.length, 0);
  }

  /** Shows the same threads with their present ages. */
  private showAges(): void {
    const roots = this.roots.all.flatMap(({ path, name }) => {
      const overview = this.overviews.get(path);
      return overview === undefined ? [] : [{ path, name, nodes: reviewNodes(overview, new Date()) }];
    });
    // The view says which of the roots could not be read.
    const isComplete = roots.length > 0 && roots.length === this.roots.all.length;
    if (isComplete && this.views.reviews.view.visible) {
      this.views.reviews.show(byRoot(roots), this.countWaiting());
    }
  }

  /** Views that are not visible are filled when they become visible. */
  private async refreshView(kind: Kind, view: NodeView, nodesOf: (root: Root) => Promise<TreeNode[]>): Promise<void> {
    const nodes = view.view.visible ? await this.collect(kind, nodesOf) : undefined;
    if (nodes !== undefined) {
      view.show(nodes);
    }
  }

  /** Lists all roots, again after a while if one of them cannot be listed. Returns undefined if a newer list is shown. */
  private async collect(kind: Kind, nodesOf: (root: Root) => Promise<TreeNode[]>): Promise<TreeNode[] | undefined> {
    this.begun += 1;
    const number = this.begun;
    let failed = false;
    const roots = await Promise.all(
      this.roots.all.map(async (root) => {
        const nodes = await nodesOf(root).catch((error: unknown) => {
          failed = true;
          this.log(messageOf(error));
          return [problemNode(root, messageOf(error))];
        });
        return { path: root.path, name: root.name, nodes };
      }),
    );
    if (this.disposed || (this.shown.get(kind) ?? 0) > number) {
      return undefined;
    }
    this.shown.set(kind, number);
    if (failed) {
      this.refreshLater(kind, this.backoffs[kind].next());
    } else {
      this.backoffs[kind].reset();
    }
    return byRoot(roots);
  }

  private async setSteps(items: readonly [TreeNode, vscode.TreeItemCheckboxState][]): Promise<void> {
    for (const [node, state] of items) {
      const root = node.root === undefined ? undefined : this.roots.get(node.root);
      if (root !== undefined && node.step !== undefined) {
        const done = state === vscode.TreeItemCheckboxState.Checked;
        await new Work(root.cli).setStep(node.step, done).catch(showError);
      }
    }
    // Also after an error: the view then shows the step as it is.
    await this.refresh("checkpoint");
  }
}

function problemNode(root: Root, message: string): TreeNode {
  return { id: `${root.path}/problem`, label: message, icon: "error", root: root.path };
}

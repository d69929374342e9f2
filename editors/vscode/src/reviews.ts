// The review commands of `skein` that the editor uses, with typed results.
import type { Cli } from "./cli";
import {
  type Applied,
  asApplied,
  asDeleted,
  asDiffFiles,
  asOverview,
  asReview,
  asReviews,
  asWritten,
  type Deleted,
  type DiffFile,
  type Overview,
  type ReviewView,
  type Written,
} from "./documents";

export interface NewComment {
  path: string;
  /** Counted from 0; null for a comment on the whole file. */
  lines: { start: number; end: number } | null;
  /** The text of the first line: the comment is refused if the file has another one there. */
  expect: string;
  body: string;
  draft: boolean;
}

export class Reviews {
  /** `author` is the name with which the comments of the user are signed; each overview may change it. */
  constructor(
    private readonly cli: Cli,
    private author?: string,
  ) {}

  /** Returns the threads at the current location of their code, without their comments. */
  async overview(): Promise<Overview> {
    const overview = asOverview(await this.cli.read([]));
    this.author = overview.author ?? this.author;
    return overview;
  }

  /** Lists the threads whose code is or was in a file, with their comments and the current location. */
  async listFile(path: string): Promise<ReviewView[]> {
    const views = asReviews(await this.cli.read(["review", "list", `--file=${path}`, "--full"]));
    return views.map((view) => this.withOwn(view));
  }

  async listAll(): Promise<ReviewView[]> {
    return asReviews(await this.cli.read(["review", "list", "--full"]));
  }

  async show(id: string): Promise<ReviewView> {
    return this.withOwn(asReview(await this.cli.read(["review", "show", id])));
  }

  async add(comment: NewComment): Promise<Written> {
    const input = {
      file: comment.path,
      body: comment.body,
      ...(comment.lines === null
        ? {}
        : { line: comment.lines.start + 1, end_line: comment.lines.end + 1, expect: comment.expect }),
    };
    const args = ["review", "add", "--from", "-", "--new-store", ...(comment.draft ? ["--draft"] : [])];
    return this.write(args, JSON.stringify([input]));
  }

  reply(id: string, body: string, resolve: boolean): Promise<Written> {
    return this.write(["review", "reply", id, "-m", "-", ...(resolve ? ["--resolve"] : [])], body);
  }

  /** Changes a comment; refused if its text is no longer `was`. */
  edit(id: string, comment: string, body: string, was: string): Promise<Written> {
    return this.write(["review", "edit", id, comment, "-m", "-", `--was=${was}`], body);
  }

  resolve(id: string): Promise<Written> {
    return this.write(["review", "resolve", id]);
  }

  async resolveAll(ids: string[]): Promise<Written[]> {
    return asWritten(await this.cli.write(["review", "resolve", ...ids]));
  }

  reopen(id: string): Promise<Written> {
    return this.write(["review", "reopen", id]);
  }

  delete(id: string): Promise<Written> {
    return this.write(["review", "delete", id]);
  }

  restore(id: string): Promise<Written> {
    return this.write(["review", "restore", id]);
  }

  /** Lists the threads that can be restored, the last deleted first. */
  async deleted(): Promise<Deleted[]> {
    return asDeleted(await this.cli.read(["review", "restore"]));
  }

  async clear(): Promise<Written[]> {
    return asWritten(await this.cli.write(["review", "clear", "--yes"]));
  }

  /** Restores deleted threads. If one of them cannot be restored, the others are. */
  async restoreAll(ids: string[]): Promise<void> {
    try {
      await this.cli.write(["review", "restore", ...ids]);
    } catch {
      const results = await Promise.allSettled(ids.map((id) => this.restore(id)));
      const failed = results.find((result) => result.status === "rejected");
      if (failed !== undefined) {
        throw failed.reason;
      }
    }
  }

  async submit(): Promise<Written[]> {
    return asWritten(await this.cli.write(["review", "submit"]));
  }

  /** What applying the suggestion of a thread would change, with a token for exactly that change. */
  async preview(id: string): Promise<Applied> {
    return first(asApplied(await this.cli.read(["review", "apply", id, "--dry-run"])));
  }

  async apply(id: string, token: string, resolve: boolean): Promise<Applied> {
    const args = ["review", "apply", id, `--token=${token}`, ...(resolve ? ["--resolve"] : [])];
    return first(asApplied(await this.cli.write(args)));
  }

  /** The changes of one file against the last commit. */
  async changes(path: string): Promise<DiffFile | undefined> {
    const files = asDiffFiles(await this.cli.read(["review", "diff", "HEAD", "--", path]));
    return files.find((file) => file.path === path);
  }

  async changedFiles(): Promise<DiffFile[]> {
    return asDiffFiles(await this.cli.read(["review", "diff", "HEAD"]));
  }

  /** The thread as a text for people and agents. */
  showText(id: string): Promise<string> {
    return this.cli.text(["review", "show", id, "--color", "never"]);
  }

  /** All open threads that wait on an agent, as one text for it. */
  exportText(): Promise<string> {
    return this.cli.text(["review", "export"]);
  }

  /** Marks the comments of the user: others cannot be edited. */
  private withOwn(view: ReviewView): ReviewView {
    // An older program does not tell the name.
    const isUser = (author: string) => this.author === undefined || author === this.author;
    const comments = view.comments.map((comment) => ({ ...comment, own: !comment.agent && isUser(comment.author) }));
    return { ...view, comments };
  }

  private async write(args: string[], input?: string): Promise<Written> {
    return first(asWritten(await this.cli.write(args, input === undefined ? {} : { input })));
  }
}

function first<T>(items: T[]): T {
  const [item] = items;
  if (item === undefined) {
    throw new Error("skein reported no result");
  }
  return item;
}

// The view of agent sessions that are bound to chat threads; pure.
import type { Session } from "../documents";
import type { TreeNode } from "./node";

const ICONS: Record<string, string> = { active: "circle-filled", disconnected: "debug-disconnect", ended: "circle-slash" };

export function sessionNodes(root: string, sessions: Session[]): TreeNode[] {
  return sessions.map((session) => ({
    id: `${root}/session/${session.id}`,
    label: session.title === "" ? session.id : session.title,
    description: [session.status ?? "", session.project_name ?? ""].filter((text) => text !== "").join(", "),
    tooltip: [session.id, session.directory ?? "", session.directory_exists === false ? "The directory is gone." : ""]
      .filter((text) => text !== "")
      .join("\n"),
    icon: ICONS[session.status ?? ""] ?? "circle-outline",
    contextValue: "session",
    root,
  }));
}

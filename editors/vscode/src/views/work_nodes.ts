// The view of work: checkpoints by day, with their steps as check boxes and their files; pure.
import type { Checkpoint, Step } from "../documents";
import type { TreeNode } from "./node";

export function workNodes(root: string, checkpoints: Checkpoint[], now: Date): TreeNode[] {
  const days = new Map<string, Checkpoint[]>();
  for (const checkpoint of checkpoints) {
    const day = dayOf(checkpoint.updated_at, now);
    days.set(day, [...(days.get(day) ?? []), checkpoint]);
  }
  return [...days].map(([day, each], index) => ({
    id: `${root}/${day}`,
    label: day,
    expanded: index === 0,
    children: each.map((checkpoint) => checkpointNode(root, checkpoint)),
  }));
}

/** The day of a time in the time zone of the machine, as a heading. */
export function dayOf(time: string | null, now: Date): string {
  const date = new Date(time ?? Number.NaN);
  if (Number.isNaN(date.getTime())) {
    return "Without a Date";
  }
  const days = Math.round((startOfDay(now) - startOfDay(date)) / 86_400_000);
  if (days === 0) {
    return "Today";
  }
  if (days === 1) {
    return "Yesterday";
  }
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

function checkpointNode(root: string, checkpoint: Checkpoint): TreeNode {
  const handoff = checkpoint.type === "handoff";
  const notes = [
    checkpoint.type === "checkpoint" ? "" : checkpoint.type,
    checkpoint.status ?? "",
    checkpoint.open_steps > 0 ? `${checkpoint.open_steps} open` : "",
    checkpoint.taken ? `taken by ${checkpoint.taken.by}` : "",
  ];
  return {
    id: `${root}/${checkpoint.id}`,
    label: checkpoint.title === "" ? checkpoint.id : checkpoint.title,
    description: notes.filter((note) => note !== "").join(", "),
    tooltip: [checkpoint.summary ?? "", checkpoint.git?.branch ?? ""].filter((text) => text !== "").join("\n"),
    icon: checkpoint.usable ? (handoff ? "export" : "milestone") : "warning",
    contextValue: handoff ? "checkpoint handoff" : "checkpoint",
    expanded: checkpoint.open_steps > 0,
    root,
    checkpointId: checkpoint.id,
    children: [
      ...checkpoint.next_steps.map((step) => stepNode(root, step)),
      ...checkpoint.files.map((file): TreeNode => ({
        id: `${root}/${checkpoint.id}/${file.path}`,
        label: file.path,
        description: file.deleted ? "deleted" : (file.reason ?? ""),
        icon: "file",
        contextValue: "file",
        ...(file.deleted ? {} : { command: "skein.openFile" }),
        root,
        path: file.path,
      })),
    ],
  };
}

function stepNode(root: string, step: Step): TreeNode {
  return {
    id: `${root}/step/${step.id}`,
    label: step.step,
    description: step.status === "open" || step.status === "done" ? "" : step.status,
    contextValue: "step",
    checked: step.status !== "open",
    root,
    step: { id: step.id, text: step.step },
  };
}

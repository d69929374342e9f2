// Loads and saves a session map as a program on Node.js would by its contract, and prints the times in milliseconds.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { z } from "zod";

const text = z.string().min(1);
const time = z.string().datetime();
const Mapping = z.object({
  sessionId: text,
  threadRootPostId: text,
  shortId: z.string().min(6).max(10),
  mattermostUserId: text,
  dmChannelId: text,
  projectName: text,
  directory: text,
  sessionTitle: z.string().optional(),
  status: z.enum(["active", "ended", "disconnected", "orphaned"]),
  createdAt: time,
  lastActivityAt: time,
  endedAt: time.optional(),
});
const MappingFile = z.object({ version: z.literal(1), mappings: z.array(Mapping), lastModified: time });

const [file, entries, rounds] = process.argv.slice(2);
const times = { load: [], save: [] };

const timed = (list, work) => {
  const start = performance.now();
  const value = work();
  list.push(performance.now() - start);
  return value;
};

const load = () => {
  const read = MappingFile.safeParse(JSON.parse(readFileSync(file, "utf8")));
  return read.success ? read.data : { mappings: [] };
};

const save = (map) => {
  const temp = `${file}.tmp.${Date.now()}`;
  writeFileSync(temp, JSON.stringify(map, null, 2));
  renameSync(temp, file);
};

for (let round = 0; round < Number(rounds); round += 1) {
  const map = timed(times.load, load);
  if (map.mappings.length !== Number(entries)) {
    throw new Error(`${map.mappings.length} of ${entries} entries are valid`);
  }
  timed(times.save, () => save(map));
}
console.log(JSON.stringify(times));

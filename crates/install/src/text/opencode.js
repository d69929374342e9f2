// MARK
// Tells Skein what happens in a session. It never throws, and waits ten seconds at most.
import { spawn } from "node:child_process"

const tell = (event, data) =>
  new Promise((done) => {
    let said = ""
    const answer = () => {
      try {
        return JSON.parse(said).context
      } catch {}
    }
    try {
      const child = spawn(PROGRAM, ["hook", "opencode", event], { stdio: ["pipe", "pipe", "ignore"] })
      const timer = setTimeout(() => (child.kill("SIGKILL"), done()), 10000)
      const end = () => (clearTimeout(timer), done(answer()))
      child.on("error", end).on("close", end)
      child.stdin.on("error", () => {})
      child.stdout.on("data", (part) => said.length < 1e6 && (said += part))
      child.stdin.end(JSON.stringify(data))
    } catch {
      done()
    }
  })

export const Skein = async ({ directory: cwd, serverUrl }) => {
  // It may be installed for the user and for the project: the first one speaks.
  const key = Symbol.for(`skein ${cwd}`)
  if (globalThis[key]) return {}
  globalThis[key] = true
  const [parents, starts, last, pending] = [new Map(), new Map(), new Map(), new Set()]
  const root = (id) => parents.get(id) ?? id
  const send = (event, id, more) => {
    const told = tell(event, { session_id: root(id), cwd, pid: process.pid, server: `${serverUrl ?? ""}`, ...more }).finally(() => pending.delete(told))
    pending.add(told)
    return told
  }
  const start = (id) => starts.get(id) ?? starts.set(id, send("session-start", id)).get(id)
  const hooks = {
    event: async ({ event: { type, properties: { sessionID, info } = {} } }) => {
      const id = sessionID ?? info?.id
      if (info?.parentID) parents.set(info.id, root(info.parentID))
      if (!id || parents.has(id)) return
      if (type === "session.created") await start(id)
      if (type === "session.idle") await send("session-idle", id, { last_message: last.get(id) })
      if (type === "session.deleted" && starts.delete(id)) await send("session-end", id)
    },
    "chat.message": async ({ sessionID }, { message, parts }) => {
      if (parents.has(sessionID)) return
      await start(sessionID)
      const texts = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      const text = await send("user-message", sessionID, { prompt: texts.join("\n") })
      if (text) parts.push({ id: `prt_skein${Date.now()}`, sessionID, messageID: message.id, type: "text", text, synthetic: true })
    },
    "tool.execute.after": async ({ tool, sessionID, args }, { metadata }) => {
      if (!["bash", "write", "edit", "patch", "apply_patch", "task", "skill"].includes(tool)) return
      await send("tool-after", sessionID, { tool, args, exit_code: metadata?.exit })
    },
    "shell.env": async ({ sessionID }, { env }) => sessionID && (env.SKEIN_SESSION ??= root(sessionID)),
    "experimental.text.complete": async ({ sessionID }, { text }) => last.set(sessionID, `${text}`.slice(0, 20000)),
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      const text = !system[0]?.startsWith("You are a title generator") && (await starts.get(sessionID))
      if (text) system.push(text)
    },
    "experimental.session.compacting": async ({ sessionID }, { context }) => {
      const text = await send("session-compacting", sessionID)
      if (text) context.push(text)
    },
    dispose: async () => {
      for (const id of starts.keys()) send("session-end", id, { last_message: last.get(id) })
      await Promise.all(pending)
      delete globalThis[key]
    },
  }
  const quiet = (hook) => async (...given) => void (await hook(...given).catch(() => {}))
  return Object.fromEntries(Object.entries(hooks).map(([name, hook]) => [name, quiet(hook)]))
}

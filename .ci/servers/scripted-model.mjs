// A language model on the loopback interface with the protocol of OpenAI. Each line of a prompt that is a command is one step of
// its answer; the step after a tool call is played when the result of the tool comes back.
//
//   TOOL bash COMMAND       calls the shell; also `TOOL write PATH [TEXT]`, `TOOL read PATH`, `TOOL todowrite ITEM, ITEM`,
//                           `TOOL question TEXT? OPTION, OPTION`, and `TOOL NAME {JSON}` for every other tool
//   SLOW WORDS [MS]         streams numbered words with a pause after each
//   LONG KILOBYTES SECONDS  streams Markdown with code blocks
//   REASON TEXT             streams reasoning, then echoes the text
//   ERROR STATUS            fails with an HTTP status
//
// Everything else is echoed. Each request is one line of the log: `prompt` is the last text of the user, `step` the number of tool
// results since then, `isTurn` is false for titles and summaries. A prompt reached the model once per line with `isTurn` and step 0.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

const DEFAULT_PAUSE = 100;
const ECHO_PAUSE = 5;
const LONG_CHUNK = 256;
const COMMAND = /^(TOOL|SLOW|LONG|REASON|ERROR) +(.*)$/;
const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

const [log] = process.argv.slice(2);
let count = 0;

const server = createServer((request, response) => {
  answer(request, response).catch((error) => response.destroy(error));
});
// OpenCode has this server as its proxy, so that it reaches no other machine.
server.on("connect", (request, socket) => {
  record({ refused: request.url });
  socket.on("error", () => {});
  socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
console.log(`http://127.0.0.1:${server.address().port}`);

function record(entry) {
  appendFileSync(log, `${JSON.stringify({ time: Date.now(), ...entry })}\n`);
}

async function answer(request, response) {
  let text = "";
  for await (const part of request) text += part;
  if (request.method !== "POST" || !request.url.endsWith("/chat/completions")) {
    respond(response, 404, "not found");
    return;
  }
  const { messages = [], tools = [], model } = JSON.parse(text);
  const prompt = lastPrompt(messages);
  const isTurn = tools.length > 0;
  const step = messages.slice(prompt.index).filter(({ role }) => role === "tool").length;
  count += 1;
  record({ prompt: prompt.text, step, isTurn, types: prompt.types, model, messages: messages.length });
  const stream = new Stream(response, model);
  await play(isTurn ? command(prompt.text, step) : { name: "ECHO", rest: "Scripted summary" }, stream, messages);
  if (!stream.isComplete) record({ prompt: prompt.text, step, aborted: true });
}

function lastPrompt(messages) {
  const index = messages.findLastIndex(({ role }) => role === "user");
  const content = messages[index]?.content ?? "";
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const text = parts.map((part) => part.text ?? "").join("\n");
  return { index, text, types: parts.map(({ type }) => type) };
}

function command(prompt, step) {
  const found = prompt.split("\n").map((line) => line.trim().match(COMMAND)).filter(Boolean);
  const [, name, rest] = found[step] ?? [null, "ECHO", prompt];
  return { name, rest };
}

async function play({ name, rest }, stream, messages) {
  const [first, second] = rest.split(/\s+/);
  switch (name) {
    case "TOOL":
      return stream.call(first, toolInput(first, rest.slice(first.length).trim()));
    case "SLOW":
      return stream.say(Array.from({ length: Number(first) }, (_, index) => `word${index + 1} `), Number(second ?? DEFAULT_PAUSE));
    case "LONG":
      return stream.say(longChunks(Number(first)), (Number(second) * 1000) / ((Number(first) * 1024) / LONG_CHUNK));
    case "REASON":
      stream.reason(words(`Thinking about ${rest}`));
      return stream.say(words(`echo: ${rest}`), ECHO_PAUSE);
    case "ERROR":
      return stream.fail(Number(first));
    default: {
      const last = messages.at(-1);
      const text = last?.role === "tool" ? `tool: ${String(last.content).slice(0, 200)}` : `echo: ${rest}`;
      return stream.say(words(text), ECHO_PAUSE);
    }
  }
}

function toolInput(tool, rest) {
  const [path, ...text] = rest.split(" ");
  const [question, options = "yes, no"] = rest.split("? ");
  switch (tool) {
    case "bash":
      return { command: rest, description: "Runs a command" };
    case "write":
      return { filePath: path, content: `${text.join(" ") || "written"}\n` };
    case "read":
      return { filePath: path };
    case "todowrite":
      return { todos: list(rest).map((content, index) => ({ content, status: index ? "pending" : "in_progress", priority: "high" })) };
    case "question":
      return {
        questions: [{ question: `${question}?`, header: "Choice", options: list(options).map((label) => ({ label, description: label })) }],
      };
    default:
      return JSON.parse(rest || "{}");
  }
}

function list(text) {
  return text.split(",").map((item) => item.trim());
}

function words(text) {
  return text.split(/(?<= )/);
}

// Sections of prose, each with a block of code; all lines differ.
function longChunks(kilobytes) {
  let text = "";
  for (let section = 1; text.length < kilobytes * 1024; section += 1) {
    const prose = Array.from({ length: 12 }, (_, line) => `Sentence ${line + 1} of section ${section} says something.`).join(" ");
    const code = Array.from({ length: 20 }, (_, line) => `let value_${section}_${line + 1} = compute(${line});`).join("\n");
    text += `## Section ${section}\n\n${prose}\n\n\`\`\`rust\n${code}\n\`\`\`\n\n`;
  }
  return text.match(new RegExp(`[^]{1,${LONG_CHUNK}}`, "g"));
}

function respond(response, status, message) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message, type: "scripted", code: String(status) } }));
}

class Stream {
  isComplete = false;

  constructor(response, model) {
    this.response = response;
    this.model = model;
  }

  reason(chunks) {
    for (const chunk of chunks) this.#send({ reasoning_content: chunk });
  }

  async say(chunks, pause) {
    for (const chunk of chunks) {
      if (this.response.destroyed) return;
      this.#send({ content: chunk });
      await sleep(pause);
    }
    this.#end("stop");
  }

  call(name, input) {
    const call = { name, arguments: JSON.stringify(input) };
    this.#send({ tool_calls: [{ index: 0, id: `call_${process.pid}_${count}`, type: "function", function: call }] });
    this.#end("tool_calls");
  }

  fail(status) {
    respond(this.response, status, "scripted error");
    this.isComplete = true;
  }

  #end(reason) {
    if (this.response.destroyed) return;
    this.#send({}, reason);
    this.response.end("data: [DONE]\n\n");
    this.isComplete = true;
  }

  #send(delta, reason = null) {
    if (!this.response.headersSent) this.response.writeHead(200, { "content-type": "text/event-stream" });
    const choices = [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: reason }];
    const usage = reason ? USAGE : undefined;
    const chunk = { id: `chat${count}`, object: "chat.completion.chunk", created: 1, model: this.model, choices, usage };
    this.response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
}

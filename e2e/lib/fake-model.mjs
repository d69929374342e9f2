// A fake model: it implements the protocols of Anthropic, OpenAI (two of them) and Google on the loopback interface, and plays a script.
//
// A script is a list of steps. Each answer of the model is one step: `{ tool, input }` calls a tool, `{ text }` answers with a
// text and ends the turn. A function returns a step for a request. A step counts as played when its result comes back, so that a
// repeated request gets the same answer.
import { createServer } from "node:http";
import { once } from "node:events";

const USAGE = { in: 100, out: 20 };
const SUMMARY = "<summary>What was said so far.</summary>";

export class FakeModel {
  #script = [];
  // The number of answers: an id that a conversation has twice would be repaired by the agent.
  #answers = 0;
  #server = createServer((request, response) => this.#handle(request, response));

  // All requests, as `{ path, body }`. Every body has `messages` in about the form of Anthropic's protocol.
  requests = [];
  // Hosts that a client tried to reach through this server as a proxy.
  blockedHosts = [];

  static async start() {
    const model = new FakeModel();
    model.#server.on("connect", (request, socket) => {
      model.blockedHosts.push(request.url);
      socket.on("error", () => {});
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
    model.#server.listen(0, "127.0.0.1");
    await once(model.#server, "listening");
    model.address = `http://127.0.0.1:${model.#server.address().port}`;
    return model;
  }

  async stop() {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  // Sets the script, and clears the recorded requests.
  play(...steps) {
    this.#script = steps;
    this.requests = [];
  }

  // The messages of the requests that continue a conversation; requests for titles and summaries are left out.
  get turns() {
    return this.requests.filter(isTurn).map(({ body }) => body.messages);
  }

  async #handle(request, response) {
    let text = "";
    for await (const part of request) text += part;
    const { pathname: path } = new URL(request.url, this.address);
    const body = text ? JSON.parse(text) : {};
    body.messages ??= body.contents?.map(fromGoogle) ?? body.input?.map(fromResponses);
    this.requests.push({ path, body });
    const respond = PROTOCOLS.find(([pattern]) => pattern.test(path))?.[1];
    if (!respond || request.method !== "POST") {
      response.writeHead(404, { "content-type": "application/json" }).end('{"error":{"type":"not_found_error","message":"nothing here"}}');
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    this.#answers += 1;
    respond(response, body, this.#next(body), `fake${this.#answers}`);
  }

  #next(body) {
    if (!isTurn({ body })) return { text: SUMMARY };
    const step = this.#script[results(body)] ?? { text: "There is nothing left to do." };
    return typeof step === "function" ? step(body) : step;
  }
}

function fromResponses({ type, role, content, output }) {
  if (type !== "message") return { role: type.endsWith("_output") ? "tool" : "assistant", content: output ?? "" };
  return { role, content: content.map(({ text }) => ({ type: "text", text: text ?? "" })) };
}

function fromGoogle({ role, parts }) {
  const content = parts.map(({ text, functionResponse }) =>
    functionResponse ? { type: "tool_result", content: JSON.stringify(functionResponse.response) } : { type: "text", text: text ?? "" });
  return { role: role === "model" ? "assistant" : role, content };
}

// Requests for titles and summaries have no tools, or forbid their use.
function isTurn({ body }) {
  const tools = body.tools?.length > 0;
  return tools && !/Respond with TEXT ONLY/.test(JSON.stringify(body.messages?.at(-1) ?? ""));
}

// Counts the tool results since the last message of the user.
function results({ messages = [] }) {
  let count = 0;
  for (const { role, content } of messages) {
    const parts = Array.isArray(content) ? content : [];
    const here = role === "tool" ? 1 : parts.filter(({ type }) => type === "tool_result").length;
    const isUser = role === "user" && here === 0;
    count = isUser ? 0 : count + here;
  }
  return count;
}

function anthropic(response, { model }, step, id) {
  const send = (type, more) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  const block = step.tool ? { type: "tool_use", id: `toolu_${id}`, name: step.tool, input: {} } : { type: "text", text: "" };
  const delta = step.tool
    ? { type: "input_json_delta", partial_json: JSON.stringify(step.input) }
    : { type: "text_delta", text: step.text };
  const usage = { input_tokens: USAGE.in, output_tokens: USAGE.out };
  const empty = { content: [], stop_reason: null, stop_sequence: null, usage };
  send("message_start", { message: { id: `msg_${id}`, type: "message", role: "assistant", model, ...empty } });
  send("content_block_start", { index: 0, content_block: block });
  send("content_block_delta", { index: 0, delta });
  send("content_block_stop", { index: 0 });
  const reason = step.tool ? "tool_use" : "end_turn";
  send("message_delta", { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: USAGE.out } });
  send("message_stop", {});
  response.end();
}

function openai(response, { model }, step, id) {
  const send = (delta, finish_reason = null, usage = undefined) => {
    const choices = [{ index: 0, delta, finish_reason }];
    response.write(`data: ${JSON.stringify({ id, object: "chat.completion.chunk", created: 1, model, choices, usage })}\n\n`);
  };
  const call = { name: step.tool, arguments: JSON.stringify(step.input) };
  const tool_calls = [{ index: 0, id: `call_${id}`, type: "function", function: call }];
  send({ role: "assistant", ...(step.tool ? { tool_calls } : { content: step.text }) });
  const usage = { prompt_tokens: USAGE.in, completion_tokens: USAGE.out, total_tokens: USAGE.in + USAGE.out };
  send({}, step.tool ? "tool_calls" : "stop", usage);
  response.end("data: [DONE]\n\n");
}

function google(response, _, step) {
  const part = step.tool ? { functionCall: { name: step.tool, args: step.input } } : { text: step.text };
  const candidates = [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }];
  const usageMetadata = { promptTokenCount: USAGE.in, candidatesTokenCount: USAGE.out, totalTokenCount: USAGE.in + USAGE.out };
  response.end(`data: ${JSON.stringify({ candidates, usageMetadata })}\n\n`);
}

function responses(response, _, step, id) {
  const send = (type, more) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  const call = { id: `call_${id}`, call_id: `call_${id}`, name: step.tool, namespace: step.namespace };
  let item = { type: "message", id: `msg_${id}`, role: "assistant", content: [{ type: "output_text", text: step.text }] };
  if (step.tool) item = { type: "function_call", ...call, arguments: JSON.stringify(step.input) };
  // A tool whose input is a text.
  if (typeof step.input === "string") item = { type: "custom_tool_call", ...call, input: step.input };
  const usage = { input_tokens: USAGE.in, output_tokens: USAGE.out, total_tokens: USAGE.in + USAGE.out };
  send("response.created", { response: { id } });
  send("response.output_item.done", { output_index: 0, item });
  send("response.completed", { response: { id, usage } });
  response.end();
}

const PROTOCOLS = [
  [/^\/v1\/messages$/, anthropic],
  [/^\/v1\/chat\/completions$/, openai],
  [/^\/v1\/responses$/, responses],
  [/^\/v1beta\/models\/[^/]+:streamGenerateContent$/, google],
];

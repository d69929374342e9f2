// Faults that must not happen on any page: errors, requests to other hosts, and violations of the content security policy.
import assert from "node:assert/strict";

// What Chromium logs of requests to a server that ends, is away, or has just started. Which of the codes depends on when the connection is lost.
export const LOST_CONNECTION = /net::ERR_(CONNECTION_[A-Z]+|SOCKET_NOT_CONNECTED|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING)\b/;

export class Faults {
  constructor() {
    this.seen = [];
    this.expected = [];
  }

  static async watch(context, origin) {
    const faults = new Faults();
    const add = (fault) => faults.seen.push(fault);
    await context.exposeBinding("skeinRefused", (_, what) => add(`refused by the policy: ${what}`));
    await context.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        window.skeinRefused(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
      });
    });
    context.on("request", (request) => {
      const url = new URL(request.url());
      if (url.protocol !== "data:" && url.origin !== origin) add(`request to another host: ${url.href}`);
    });
    context.on("console", (message) => message.type() === "error" && add(`console: ${message.text()}`));
    context.on("weberror", (error) => add(`error on the page: ${error.error().stack ?? error.error()}`));
    return faults;
  }

  // A browser logs every failed response as an error. A test that causes one declares it here.
  expect(...patterns) {
    this.expected.push(...patterns);
  }

  check() {
    const faults = this.seen.filter((fault) => !this.expected.some((pattern) => pattern.test(fault)));
    assert.deepEqual(faults, [], "faults on the page");
  }
}

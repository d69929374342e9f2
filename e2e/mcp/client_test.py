"""The official Python client as a client of `skein mcp`, with the older handshake and with the newer protocol."""

import asyncio
import json
import os
import subprocess
import tempfile
import unittest
from contextlib import asynccontextmanager
from pathlib import Path

from mcp import Client, MCPError, StdioServerParameters
from mcp.types import Implementation

SKEIN = os.environ["SKEIN_BIN"]
REVIEWER = "Mira Okafor"
QUESTION = "Is the wick trimmed?"
MODES = ["legacy", "auto", "2026-07-28"]
TIMEOUT = 90


class ClientTest(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        base = tempfile.TemporaryDirectory(prefix="skein-mcp-")
        self.addCleanup(base.cleanup)
        self.home = Path(base.name) / "home"
        self.dir = Path(base.name) / "lantern"
        self.home.mkdir()
        self.dir.mkdir()
        self.env = {"HOME": str(self.home), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
        for name in ("CONFIG", "STATE", "CACHE", "DATA"):
            self.env[f"XDG_{name}_HOME"] = str(self.home / name.lower())
        (self.dir / "README.md").write_text("# Plain\n")
        self.run_program("git", "init", "--quiet")
        self.run_program("git", "add", "--all")
        user = ["-c", "user.name=Mira", "-c", "user.email=mira@example.com"]
        self.run_program("git", *user, "commit", "--quiet", "-m", "start")

    def run_program(self, *args):
        env = {**self.env, "SKEIN_AUTHOR": REVIEWER}
        return subprocess.run(args, cwd=self.dir, env=env, check=True, capture_output=True, text=True).stdout

    async def skein(self, *args):
        return await asyncio.to_thread(self.run_program, SKEIN, *args)

    async def submit_thread(self):
        added = await self.skein("review", "add", "README.md:1", "--draft", "-m", QUESTION, "--json")
        await self.skein("review", "submit")
        return json.loads(added)["threads"][0]["id"]

    @asynccontextmanager
    async def client(self, mode, *args, **options):
        server = StdioServerParameters(command=SKEIN, args=["mcp", *args], env=self.env, cwd=self.dir)
        info = Implementation(name="python-client", version="1")
        async with asyncio.timeout(TIMEOUT), Client(server, mode=mode, client_info=info, **options) as client:
            yield client

    async def call(self, client, tool, arguments=None, **options):
        result = await client.call_tool(tool, arguments or {}, **options)
        self.assertIsNone(result.structured_content)
        [content] = result.content
        self.assertEqual(bool(result.is_error), content.text.startswith("Error: "), content.text)
        return content.text

    async def test_threads_are_taken_and_answered(self):
        for mode in MODES:
            with self.subTest(mode=mode):
                thread = await self.submit_thread()
                async with self.client(mode) as client:
                    self.assertEqual(len((await client.list_tools()).tools), 6)
                    self.assertIn("README.md:1", await self.call(client, "review_threads"))
                    self.assertIn(QUESTION, await self.call(client, "review_next"))
                    reply = {"id": thread, "body": f"It is, {mode}."}
                    self.assertIn("replied", await self.call(client, "review_reply", {"replies": [reply]}))
                    self.assertEqual("Nothing waits.", await self.call(client, "review_next"))
                shown = json.loads(await self.skein("review", "show", thread, "--json"))
                self.assertEqual(f"It is, {mode}.", shown["comments"][1]["body"])
                self.assertEqual("python-client [agent]", shown["comments"][1]["author"])

    async def test_a_wait_answers_other_calls_and_ends_with_the_submission(self):
        for mode in MODES:
            with self.subTest(mode=mode):
                async with self.client(mode) as client:
                    wait = asyncio.create_task(self.call(client, "review_next", {"wait_seconds": 40}))
                    await self.call(client, "review_threads")
                    self.assertFalse(wait.done())
                    thread = await self.submit_thread()
                    self.assertIn(QUESTION, await wait)
                # The next client would get the thread at once.
                await self.skein("review", "resolve", thread)

    async def test_a_cancelled_wait_claims_nothing(self):
        for mode in MODES:
            with self.subTest(mode=mode):
                async with self.client(mode) as client:
                    wait = asyncio.create_task(self.call(client, "review_next", {"wait_seconds": 40}))
                    await self.call(client, "review_threads")
                    wait.cancel()
                    with self.assertRaises(asyncio.CancelledError):
                        await wait
                    await self.call(client, "review_threads")
                    thread = await self.submit_thread()
                    self.assertNotIn("claimed", await self.call(client, "review_threads"))
                    reply = {"id": thread, "body": "It is."}
                    await self.call(client, "review_reply", {"replies": [reply]})

    async def test_work_is_saved_and_resumed(self):
        async with self.client("auto") as client:
            saved = {"summary": "The lamp is lit.", "steps": ["trim the wick"]}
            self.assertIn("Saved", await self.call(client, "work_save", saved))
            self.assertIn("The lamp is lit.", await self.call(client, "work_resume"))
            self.assertIn("trim the wick", await self.call(client, "work_resume", {"what": "steps"}))

    async def test_errors_say_what_to_do(self):
        async with self.client("auto") as client:
            answer = await self.call(client, "review_comment", {"comments": [{"path": "nope", "body": "b"}]})
            self.assertIn("nope", answer)
            answer = await self.call(client, "review_threads", {"unknown": 1})
            self.assertIn("unknown field `unknown`", answer)
            with self.assertRaises(MCPError):
                await client.read_resource("skein://nope")

    async def test_prompts_and_resources_are_read(self):
        await self.submit_thread()
        async with self.client("auto") as client:
            for prompt in (await client.list_prompts()).prompts:
                self.assertTrue((await client.get_prompt(prompt.name)).messages)
            for resource in (await client.list_resources()).resources:
                self.assertTrue((await client.read_resource(resource.uri)).contents)

    async def test_a_subscriber_of_the_newer_protocol_is_told_of_changes(self):
        async with self.client("2026-07-28") as client:
            async with client.listen(resource_subscriptions=["skein://waiting"]) as subscription:
                await self.submit_thread()
                event = await anext(aiter(subscription))
                self.assertEqual("skein://waiting", str(event.uri))

    async def test_a_subscriber_of_the_older_protocol_is_told_of_changes(self):
        told = asyncio.Event()

        async def on_message(message):
            if "updated" in str(getattr(message, "method", "")):
                told.set()

        async with self.client("legacy", message_handler=on_message) as client:
            await client.subscribe_resource("skein://waiting")
            await self.submit_thread()
            await told.wait()

    async def test_read_only_has_no_tool_that_writes(self):
        async with self.client("auto", "--read-only") as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            self.assertEqual(["review_threads", "review_next", "work_resume"], names)


if __name__ == "__main__":
    unittest.main()

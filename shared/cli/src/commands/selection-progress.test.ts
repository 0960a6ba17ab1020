import assert from "node:assert/strict";
import { after, test } from "node:test";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { Status } from "@realmwatch/proto/svc/v1/common_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { openCliServers, runTestCli } from "../run-cli.fixture.ts";

const { serve } = openCliServers(after);

const commands: readonly (readonly [args: readonly string[], progress: string])[] = [
  [["ack", "-comment", "x"], "12 of 400 objects (3 %) acknowledged"],
  [["check"], "no answer yet for 400 objects"],
  [["downtime", "add", "-for", "2h", "-comment", "x"], "no answer yet for 400 objects"],
];
for (const [args, progress] of commands)
  test(`${args.join(" ")} of a selection says how far it is while its answer is awaited`, async () => {
    const [selectors, answers]: [string[], string[]] = [[], []];
    let ask = async (_: AbortSignal): Promise<string> => "";
    let fails = false;
    async function handle() {
      answers.push(await ask(new AbortController().signal), await ask(AbortSignal.abort()));
      fails = true;
      answers.push(await ask(new AbortController().signal));
      return {};
    }
    const url = await serve((router) =>
      router
        .service(QueryService, {
          getServerInfo: () => ({ realm: "fra" }),
          listStatus({ selector }) {
            if (fails) throw new Error("too busy");
            selectors.push(selector);
            return { summary: { acknowledged: 12, counts: [{ status: Status.CRITICAL, count: 400 }] } };
          },
        })
        .service(CommandService, { acknowledgeProblem: handle, scheduleCheck: handle, scheduleDowntime: handle }),
    );
    const followProgress = (asked: typeof ask): void => {
      ask = asked;
    };
    const { code, stderr } = await runTestCli([...args, "-selector", "env=prod", "-server", url], { followProgress });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.deepEqual(answers, [progress, "", ""]);
    assert.match(selectors.join(), /^env=prod(,@status in \([a-z,]+\))?$/);
  });

import { fail, ok } from "@realmwatch/shared/model/result";
import { findForeignStreams } from "@realmwatch/shared/platform/nats/foreign-streams";
import { setUpStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import { subCommand } from "@realmwatch/shared/platform/process/run-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { centreStreams } from "@realmwatch/shared/wire/nats/nats-subjects";
import { aggregatorFlags } from "../flags.ts";
import { natsFlags, withNats } from "./with-nats.ts";

/** `nats-setup -nats-url URL [-nats-replicas N]`: creates and corrects the streams and prints what it did. */
export const natsSetupSubCommand = subCommand({
  words: [],
  flags: { ...natsFlags, "nats-replicas": aggregatorFlags["nats-replicas"] },
  run: ({ values }) =>
    withNats({ command: "nats-setup", values, clock: systemClock }, async (connection) => {
      const { changes, problems } = await setUpStreams(await connection.jetstreamManager(), centreStreams, {
        replicas: values.natsReplicas,
      });
      const wrong = [...problems, ...(await findForeignStreams(connection, centreStreams, systemClock))];
      const done = changes.length > 0 ? changes : ["the streams are as they should be: nothing was changed"];
      if (wrong.length === 0) return ok(done.join("\n"));
      return fail({ code: 1, lines: [...changes, ...wrong].map((line) => `realmwatch-aggregator: ${line}`) });
    }),
});

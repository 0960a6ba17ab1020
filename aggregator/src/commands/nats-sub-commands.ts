import type { SubCommands } from "@realmwatch/shared/platform/process/run-program";
import { forgetRealmSubCommand } from "./forget-realm.ts";
import { natsConfigSubCommand } from "./nats-config.ts";
import { natsSetupSubCommand } from "./nats-setup.ts";

/** Sub-commands for operators of NATS. */
export const natsSubCommands = {
  "nats-setup": natsSetupSubCommand,
  "nats-config": natsConfigSubCommand,
  "forget-realm": forgetRealmSubCommand,
} satisfies SubCommands;

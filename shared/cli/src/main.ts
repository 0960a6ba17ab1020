import { version } from "@realmwatch/shared/words/version";
import { Command } from "commander";

const program = new Command("realmwatch").description("Operate realms from the command line.").version(version);
await program.parseAsync();

import { entryModule } from "@realmwatch/shared/platform/process/entry-module";

/** Module that the thread of the aggregator's port starts with. */
export const centrePortModule = entryModule("centre-port-thread", import.meta.url);

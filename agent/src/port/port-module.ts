import { entryModule } from "@realmwatch/shared/platform/process/entry-module";

/** Module that the thread of the port starts with. */
export const portModule = entryModule("port-thread", import.meta.url);

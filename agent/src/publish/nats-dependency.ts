import { describeUnpublished } from "@realmwatch/shared/wire/unpublished";
import type { PublisherState } from "./nats-publisher.ts";

/** NATS on the readiness page. It is not needed: an agent works without it and stays ready. */
export function natsDependency({ error, unpublished, waitingRows, waitingEvents }: PublisherState) {
  const waiting = error === "" ? "" : `${error}; ${waitingRows} rows and ${waitingEvents} events wait`;
  const detail = [waiting, describeUnpublished(unpublished)].filter((text) => text !== "").join("; ");
  return { name: "nats", ok: detail === "", needed: false, detail: detail || "connected" };
}

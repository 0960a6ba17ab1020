import { headers, type MsgHdrs } from "nats";

/** Headers of a message by their names and values. */
export function natsHeaders(values: Readonly<Record<string, string>>): MsgHdrs {
  const all = headers();
  for (const [name, value] of Object.entries(values)) all.set(name, value);
  return all;
}

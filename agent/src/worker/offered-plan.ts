import type { HostPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import { blankMetadata } from "@realmwatch/shared/row/metadata-fields";
import type { CheckOffer, OfferedObject } from "../zones/check-offer.ts";

/** Plan fields that have no effect on a check run. */
const unusedFields = {
  policy: "",
  flap: { enabled: false, alpha: 1, highThreshold: 1, lowThreshold: 1, notifyOnFlapStop: false },
  digest: "",
  handler: "",
  handlerEnabled: false,
};

function commonOf({ vars, maxAttempts }: OfferedObject, { check, timeoutMs }: CheckOffer) {
  const schedule = { checkIntervalMs: timeoutMs, retryIntervalMs: timeoutMs, timeoutMs, maxAttempts, checkPeriod: "" };
  return { ...unusedFields, vars, check, schedule };
}

const aboutOf = <K>(key: K, { check }: CheckOffer) => ({ ...blankMetadata, key, checkType: check.type });

/** Host plan of an offer. */
export function offeredHost(offer: CheckOffer): HostPlan {
  const { name, address } = offer.host;
  const key = { kind: "host", name } as const;
  const links = { parents: [], children: [], services: [] };
  return { ...commonOf(offer.host, offer), ...links, ref: name, key, about: aboutOf(key, offer), address };
}

/** Plan of the checked object: the offer's service, or its host when there is no service. */
export function offeredPlan(offer: CheckOffer): HostPlan | ServicePlan {
  const { service, host } = offer;
  if (service === undefined) return offeredHost(offer);
  const key = { kind: "service", host: host.name, name: service.name } as const;
  const ref = `${host.name}!${service.name}`;
  return { ...commonOf(service, offer), ref, key, about: aboutOf(key, offer), host: host.name };
}

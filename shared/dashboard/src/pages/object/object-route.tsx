import { useParams, useSearch } from "@tanstack/react-router";
import { keyOfPath } from "../../api/status/object-key.ts";
import { ownRealmParam } from "../../components/object/object-link.tsx";
import { ObjectPage } from "./object-page.tsx";

/** Page of the object that the address names; `ack` is the link of a message about its problem. */
export function ObjectRoute() {
  const { realm = "", object = "", service } = useParams({ strict: false });
  const { ack } = useSearch({ strict: false }) as { readonly ack?: string };
  return <ObjectPage realm={realm === ownRealmParam ? "" : realm} object={keyOfPath(object, service)} ack={ack} />;
}

import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

/** Realm in the paths of an agent, which has one unnamed realm here; not a valid realm name. */
export const ownRealmParam = "-";

/** Route of an object's page with its parameters. The address is stable, because notifications link to it. */
export const objectRoute = (realm: string, object: ObjectKey) => {
  const host = object.kind === "service" ? object.host : undefined;
  const name = object.kind === "process" ? `process:${object.name}` : object.name;
  return {
    to: "/o/$realm/$object/{-$service}",
    params: {
      realm: realm === "" ? ownRealmParam : realm,
      object: host ?? name,
      service: host === undefined ? undefined : name,
    },
  } as const;
};

type ObjectLinkProps = { realm: string; object: ObjectKey; className?: string; children?: ReactNode };

/** Link to an object's page; its text is the name of the object by default. */
export const ObjectLink = ({ realm, object, className = "object-link", children }: ObjectLinkProps) => (
  <Link className={className} {...objectRoute(realm, object)}>
    {children ?? <ObjectName object={object} />}
  </Link>
);

/** The object's name in one line: `web1 › http`; hosts and processes with their kind. */
export function ObjectName({ object }: { object: ObjectKey }) {
  if (object.kind === "service")
    return (
      <>
        <span className="host-part">{object.host}</span> <span className="path-mark">›</span> {object.name}
      </>
    );
  return (
    <>
      {object.name} <span className="kind-mark">{object.kind}</span>
    </>
  );
}

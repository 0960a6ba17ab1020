import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

/** Realm in the paths of an agent, which has one unnamed realm here; not a valid realm name. */
export const ownRealmParam = "-";

/** Path of an object's page. */
export function objectPathOf(realm: string, object: ObjectKey): string {
  const names =
    object.kind === "service"
      ? [object.host, object.name]
      : [object.kind === "process" ? `process:${object.name}` : object.name];
  return `/o/${[realm === "" ? ownRealmParam : realm, ...names].map(encodeURIComponent).join("/")}`;
}

type ObjectLinkProps = { realm: string; object: ObjectKey; className?: string; children: ReactNode };

/** Link to an object's page. The address is stable, because notifications link to it. */
export function ObjectLink({ realm, object, className = "object-link", children }: ObjectLinkProps) {
  const path = realm === "" ? ownRealmParam : realm;
  if (object.kind === "service")
    return (
      <Link
        className={className}
        to="/o/$realm/$object/$service"
        params={{ realm: path, object: object.host, service: object.name }}
      >
        {children}
      </Link>
    );
  const name = object.kind === "process" ? `process:${object.name}` : object.name;
  return (
    <Link className={className} to="/o/$realm/$object" params={{ realm: path, object: name }}>
      {children}
    </Link>
  );
}

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

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ObjectKey } from "../../api/status/object-key.ts";

/** Stands for "the only realm" in paths of an agent; no realm can be named so. */
export const ownRealmParam = "-";

type ObjectLinkProps = { realm: string; object: ObjectKey; className?: string; children: ReactNode };

/** A link to an object's page, whose address is stable: notifications point there too. */
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

/** The object's name in one line: `web1 › http`, with its kind where that is not plain. */
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

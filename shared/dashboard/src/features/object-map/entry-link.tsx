import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ObjectLink } from "../../components/object/object-link.tsx";
import type { MapEntry } from "./map-entries.ts";

type EntryLinkProps = { entry: MapEntry; className: string; children: ReactNode };

/** Link of an entry: to the page of the object, or to the list of the objects that are counted. */
export function EntryLink({ entry: { item, list }, className, children }: EntryLinkProps) {
  if (item !== undefined)
    return (
      <ObjectLink realm={item.realm} object={item.key} className={className}>
        {children}
      </ObjectLink>
    );
  if (list === undefined) return <span className={className}>{children}</span>;
  return (
    <Link to={list.to} search={list.search} className={className}>
      {children}
    </Link>
  );
}

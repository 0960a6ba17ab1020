import { refOf } from "@realmwatch/shared/model/object-key";
import { sizeOfImpact } from "@realmwatch/shared/model/row";
import { Link } from "@tanstack/react-router";
import { keyOfWireRef, oneOfSelector, realmSearch } from "../../api/status/object-key.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { formatNumber } from "../time/format-number.ts";
import { ObjectLink } from "./object-link.tsx";

/** Link from a problem to the objects behind it: `150 behind it`. Empty without such objects. */
export function ImpactLink({ item }: { item: StatusItem }) {
  const behind = sizeOfImpact(item.row.impact);
  if (behind === 0) return null;
  const q = oneOfSelector("@cause", [refOf(item.key)]);
  return (
    <Link to="/objects" search={{ q, ...realmSearch(item.realm) }} className="impact-link">
      {formatNumber(behind)} behind it
    </Link>
  );
}

/** Link from a consequence to its topmost cause; nothing for any other object. */
export function CauseLink({ item }: { item: StatusItem }) {
  const cause = keyOfWireRef(item.row.cause);
  if (cause === undefined) return null;
  return (
    <span>
      because of{" "}
      <ObjectLink realm={item.realm} object={cause}>
        {refOf(cause)}
      </ObjectLink>
    </span>
  );
}

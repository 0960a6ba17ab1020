import type { Status } from "@realmwatch/shared/model/status";
import { Link } from "@tanstack/react-router";
import { formatNumber } from "../../components/time/format-number.ts";
import type { Count } from "./count-matrix.ts";

type CountLinkProps = {
  of: Count;
  to: "/" | "/objects";
  /** Filters of the list that the number links to. */
  search: { readonly kind?: string; readonly status?: string; readonly realm?: string };
  status?: Status;
  label: string;
};

/** A number that links to the list of these objects. Those that are only last known are named apart. */
export function CountLink({ of: { count, lastKnown }, to, search, status, label }: CountLinkProps) {
  return (
    <>
      <Link
        to={to}
        search={search}
        className={`count-link ${count === 0 ? "is-zero" : ""}`}
        data-status={count - lastKnown > 0 ? status : undefined}
        aria-label={`${formatNumber(count)} ${label}`}
      >
        {formatNumber(count)}
      </Link>
      {lastKnown > 0 && (
        <span className="count-stale">
          {lastKnown === count ? "last known" : `${formatNumber(lastKnown)} last known`}
        </span>
      )}
    </>
  );
}

type UnhandledLinkProps = Pick<CountLinkProps, "of" | "search" | "label"> & {
  /** Number of objects, handled ones included. */
  total: number;
};

/** Number of unhandled problems below the number of all; nothing where there are no objects. */
export function UnhandledLink({ of: { count }, total, search, label }: UnhandledLinkProps) {
  if (total === 0) return null;
  return (
    <Link to="/" search={search} className="count-unhandled" aria-label={`${formatNumber(count)} unhandled ${label}`}>
      {formatNumber(count)} unhandled
    </Link>
  );
}

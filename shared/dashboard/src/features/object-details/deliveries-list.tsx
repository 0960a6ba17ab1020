import { DeliveryState, type NotificationDelivery } from "@realmwatch/proto/svc/v1/query_pb";
import { counted } from "@realmwatch/shared/view/plural";
import { optionalMs } from "../../api/status/status-item.ts";
import { notificationKindText } from "../../components/object/notification-kind-text.ts";
import { DateTime } from "../../components/time/time-text.tsx";
import "../../components/object/word.css";

type StateText = { readonly text: string; readonly time: "since" | "at"; readonly tone: string };

const stateTexts: Readonly<Record<number, StateText>> = {
  [DeliveryState.QUEUED]: { text: "Queued", time: "since", tone: "" },
  [DeliveryState.DELIVERED]: { text: "Delivered", time: "at", tone: "is-good" },
  [DeliveryState.FAILING]: { text: "Failing", time: "since", tone: "is-bad" },
  [DeliveryState.GAVE_UP]: { text: "Given up", time: "at", tone: "is-bad" },
};
const unknownState: StateText = { text: "Unknown", time: "since", tone: "" };

type DeliveriesProps = {
  readonly deliveries: readonly NotificationDelivery[];
  /** True for a delivery that is about an earlier problem than the present one. */
  readonly isEarlier: (delivery: NotificationDelivery) => boolean;
};

/** Deliveries of the latest notification: one item for each contact, with its state. */
export function DeliveriesList({ deliveries, isEarlier }: DeliveriesProps) {
  if (deliveries.length === 0) return null;
  return (
    <>
      <h3>Deliveries</h3>
      <ul className="deliveries">
        {deliveries.map((delivery) => (
          <li key={delivery.contact} className="delivery">
            {isEarlier(delivery) && <span className="muted">About an earlier problem: </span>}
            <DeliveryText delivery={delivery} />
          </li>
        ))}
      </ul>
    </>
  );
}

function DeliveryText({ delivery }: { delivery: NotificationDelivery }) {
  const { contact, kind, state, since, attempts, error, possibleDuplicate } = delivery;
  const { text, time, tone } = stateTexts[state] ?? unknownState;
  const isDelivered = state === DeliveryState.DELIVERED;
  return (
    <>
      <strong>{contact}</strong> <span className="muted">{notificationKindText(kind)}</span>{" "}
      <span className={`word ${tone}`}>{text}</span>{" "}
      <span className="muted">
        {time} <DateTime atMs={optionalMs(since)} />
        {!isDelivered && attempts > 0 && `, ${counted(attempts, "attempt")}`}
        {possibleDuplicate && ", a possible duplicate"}
      </span>
      {!isDelivered && error !== "" && <div className="delivery-error">{error}</div>}
    </>
  );
}

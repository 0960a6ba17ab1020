import { useEffect, useState } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";

/** Time without a movement after which the pointer is hidden, ms. */
const hideAfterMs = 5_000;

/** True while the pointer has not moved for 5 s. */
export function useIdlePointer(): boolean {
  const { clock } = useAppContext();
  const [idle, setIdle] = useState(false);
  useEffect(() => {
    let movedAtMs = clock.now();
    const onMove = (): void => {
      movedAtMs = clock.now();
      setIdle(false);
    };
    const stop = clock.every(500, () => setIdle(clock.now() - movedAtMs >= hideAfterMs));
    window.addEventListener("pointermove", onMove);
    return () => {
      stop();
      window.removeEventListener("pointermove", onMove);
    };
  }, [clock]);
  return idle;
}

import { useState } from "react";

type Call = {
  /** True while the call runs. */
  readonly busy: boolean;
  /** Failure of the last call; undefined when it succeeded, and while one runs. */
  readonly error: unknown;
  /** Makes a call. Resolves to true when it succeeded, else to false. */
  readonly run: (call: () => Promise<unknown>) => Promise<boolean>;
};

/** Call that a form makes. */
export function useCall(): Call {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const run: Call["run"] = async (call) => {
    setBusy(true);
    setError(undefined);
    try {
      await call();
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, run };
}

import { useNavigate } from "@tanstack/react-router";
import { useFailureNotice } from "../api/commands/use-failure-notice.ts";
import { useIdentity } from "../api/server/server-info.ts";
import { useSignIn } from "../api/server/sign-in.ts";

/** Ends the session in all tabs and leads to the login page; hidden without an identity. */
export function SignOutButton() {
  const failed = useFailureNotice();
  const navigate = useNavigate();
  const signIn = useSignIn();
  const identity = useIdentity();
  if (identity === undefined) return null;
  const signOut = async (): Promise<void> => {
    try {
      await signIn.out();
      await navigate({ to: "/login", search: {} });
    } catch (error) {
      failed("Signing out failed", error);
    }
  };
  return (
    <button type="button" className="icon-button" onClick={() => void signOut()}>
      Sign out
    </button>
  );
}

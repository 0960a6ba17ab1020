/** Texts of signing in. */
export const signInTexts = {
  signInWithAToken: "Sign in with a token",
  theServerDoesNotAccept: "The server does not accept the token.",
  userName: "User name",
  password: "Password",
  signingIn: "Signing in…",
  signIn: "Sign in",
  yourSessionHasEnded: "Your session has ended",
  signInAgainToContinue: "Sign in again to continue. What you have typed is kept.",
  signInToRealmwatch: "Sign in to Realmwatch",
  theServerCannotBeReached: "The server cannot be reached.",
  theUserNameOrThe: "The user name or the password is wrong.",
  signingInFailed: (message: string, code: string) => `Signing in failed: ${message} (${code})`,
  signInRealmwatch: "Sign in – Realmwatch",
} as const;

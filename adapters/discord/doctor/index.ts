/** The checks of an account, as others use them. */

export { NEEDED_PERMISSIONS } from '../permissions/needed-permissions.ts';
export type { CheckedAccount } from './account.ts';
export { accountChecks } from './account-checks.ts';
export { createAsker } from './ask.ts';
export { type Invite, inviteOf } from './invite.ts';
export { lightCheck } from './light-check.ts';

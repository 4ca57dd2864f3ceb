/** Organisations and their users. Other features import from here. */
import type { Feature } from '../http/feature.ts';
import { organizationRoutes } from './organization-routes.ts';
import { userRoutes } from './user-routes.ts';

export { ACTIVATIONS_COLLECTION, isActivationOf } from './activations.ts';
export { bindPerson } from './commands.ts';
export { heldReservations, type HeldReservation } from './held-reservations.ts';
export { organizationOf } from './holders.ts';
export { peopleOperations } from './operations.ts';
export { mayRead, shownOrganization, shownUser } from './read-people.ts';

export const people: Feature = async (app, context) => {
  organizationRoutes(app, context);
  userRoutes(app, context);
};

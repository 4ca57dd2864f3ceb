/** Catalogue of errors: every code of a response, with its HTTP status (RFC 9110) and title (RFC 9457). */
export const ERRORS = {
  ORGANIZATION_ALREADY_EXISTS: { status: 400, title: 'The organization already exists' },
  UNAUTHENTICATED: { status: 401, title: 'Sign in first' },
  INVALID_CREDENTIALS: { status: 401, title: 'The credentials were not accepted' },
  INVALID_ENROLMENT_TOKEN: { status: 401, title: 'The enrolment token was not accepted' },
  INVALID_API_KEY: { status: 401, title: 'The API key was not accepted' },
  FORBIDDEN: { status: 403, title: 'Your role does not allow this' },
  XSRF: { status: 403, title: 'The X-XSRF-TOKEN header is missing or wrong' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'The method is not allowed here' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request took too long' },
  CONFLICT: { status: 409, title: 'Somebody else changed this meanwhile' },
  STALE: { status: 409, title: 'This was changed since you read it' },
  ALERT_NOT_ACTIVE: { status: 409, title: 'The alert is no longer active' },
  ALERT_CHANGED: { status: 409, title: 'The alert occurred again since you read it' },
  DEVICE_HAS_FILES: { status: 409, title: 'The device still has files' },
  LAST_ADMIN: { status: 409, title: 'An organization needs at least one administrator' },
  USER_EXISTS: { status: 409, title: 'A user with this e-mail exists already' },
  USER_ACTIVE: { status: 409, title: 'The user is active already' },
  MONITORING_DISABLED: { status: 409, title: 'Monitoring of this file is off' },
  LIMIT_REACHED: { status: 409, title: 'A limit of this organization is reached' },
  ENROLMENT_ENDED: { status: 410, title: 'The enrolment token can no longer be used' },
  SHARE_ENDED: { status: 410, title: 'The link has ended' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'The body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The content type is not supported' },
  HOST_NOT_ALLOWED: { status: 421, title: 'This host is not served here' },
  VALIDATION_FAILED: { status: 422, title: 'The request is not valid' },
  SEQUENCE_AHEAD: { status: 422, title: 'The sequence lies too far ahead' },
  RATE_LIMITED: { status: 429, title: 'Too many requests' },
  INTERNAL: { status: 500, title: 'Something went wrong on the server' },
  OVERLOADED: { status: 503, title: 'The service is busy' },
  NOT_DURABLE: { status: 503, title: 'The service cannot store anything right now' },
  UNAVAILABLE: { status: 503, title: 'The service is not available right now' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERRORS;

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);

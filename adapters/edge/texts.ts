// The texts that both edges answer with if there is no file to send.

/** With status 404, if the project has no `404.html`. */
export const NO_SUCH_PAGE = 'no such page';
/** With status 416. */
export const NO_SUCH_RANGE = 'no such range';
/** With status 503, if storage fails. */
export const UNAVAILABLE = 'temporarily unavailable; try again';

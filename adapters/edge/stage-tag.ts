// A separate file, because the constructs need it without AWS's SDK.

/** The tag that holds the stage's name on each tenant; the functions' policies permit creating tenants only with this tag. */
export const STAGE_TAG = 'petstore:stage';

/** Exit codes of `sentinel agent` that several of its modes have; its help lists all. */
export const WRONG = 1;
export const UNCHECKED = 4;

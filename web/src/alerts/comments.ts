/** Comments that are not sent, by person and alert, for when the panel of the alert opens again. */
import { atom } from 'jotai';

interface Comment {
  text: string;
  /** Whether the text is being sent. */
  isSending: boolean;
}

/** Most comments that are not sent; the oldest goes first. */
const COMMENTS_MAX = 50;

export const noComment: Comment = { text: '', isSending: false };

/** @boundedBy COMMENTS_MAX */
export const commentsAtom = atom<ReadonlyMap<string, Comment>>(new Map());

/** Returns the function that changes one comment. @param of person and alert */
export const withComment =
  (of: string, change: (comment: Comment) => Comment) =>
  (comments: ReadonlyMap<string, Comment>): ReadonlyMap<string, Comment> => {
    const others = [...comments].filter(([key]) => key !== of);
    const comment = change(comments.get(of) ?? noComment);
    if (comment.text === '' && !comment.isSending) return new Map(others);
    return new Map([...others.slice(-(COMMENTS_MAX - 1)), [of, comment]]);
  };

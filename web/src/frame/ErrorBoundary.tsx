import { Component, type ReactNode } from 'react';
import { messageOf } from '../errors.ts';
import { ErrorState } from '../ui/States.tsx';

interface ErrorBoundaryProps {
  /** A new value clears the error. */
  place: string;
  children: ReactNode;
}

interface ErrorBoundaryState {
  fallen: { error: unknown } | null;
}

/** Shows an error in place of a failed page and keeps the header. React offers error boundaries only as classes. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { fallen: null };

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { fallen: { error } };
  }

  /** Clears an old error at a new place; an error that came with the new place stays. */
  override componentDidUpdate({ place }: ErrorBoundaryProps, { fallen }: ErrorBoundaryState): void {
    if (fallen !== null && place !== this.props.place) this.setState({ fallen: null });
  }

  override render(): ReactNode {
    const { fallen } = this.state;
    if (fallen === null) return this.props.children;
    return (
      <section className="card">
        <ErrorState
          page
          title="The page cannot be shown"
          message={messageOf(fallen.error)}
          onRetry={() => window.location.reload()}
        />
      </section>
    );
  }
}

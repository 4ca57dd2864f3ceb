import { Component, type ReactNode } from 'react';
import { messageOf } from '../errors.ts';
import { ErrorState } from '../ui/States.tsx';

interface ErrorBoundaryProps {
  /** Another place is tried anew. */
  place: string;
  children: ReactNode;
}

interface ErrorBoundaryState {
  fallen: { error: unknown } | null;
}

/** A page that fails leaves the header and the way to the other pages. React has this for classes alone. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { fallen: null };

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { fallen: { error } };
  }

  /** Not when it fell on the way to another place, which is where it is now. */
  override componentDidUpdate({ place }: ErrorBoundaryProps, { fallen }: ErrorBoundaryState): void {
    if (fallen !== null && place !== this.props.place) this.setState({ fallen: null });
  }

  override render(): ReactNode {
    const { fallen } = this.state;
    if (fallen === null) return this.props.children;
    return (
      <section className="card">
        <ErrorState
          title="The page cannot be shown"
          message={messageOf(fallen.error)}
          onRetry={() => window.location.reload()}
        />
      </section>
    );
  }
}

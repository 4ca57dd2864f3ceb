import { Component, type ReactNode } from 'react';
import { messageOf } from '../errors.ts';
import { ErrorState } from '../ui/States.tsx';

interface ErrorBoundaryProps {
  /** Another place is tried anew. */
  place: string;
  children: ReactNode;
}

interface Fallen {
  error: unknown;
  place: string;
}

/** A page that fails leaves the header and the way to the other pages. React has this for classes alone. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { fallen: Fallen | null }> {
  override state: { fallen: Fallen | null } = { fallen: null };

  static getDerivedStateFromError(error: unknown): { fallen: Fallen } {
    return { fallen: { error, place: '' } };
  }

  override componentDidCatch(error: unknown): void {
    this.setState({ fallen: { error, place: this.props.place } });
  }

  override componentDidUpdate(): void {
    const { fallen } = this.state;
    if (fallen !== null && fallen.place !== '' && fallen.place !== this.props.place)
      this.setState({ fallen: null });
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

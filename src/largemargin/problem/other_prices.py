"""One solution, judged at other prices of the margin distribution.

At a given C the prices enter the forces of the rows linearly, so the gradient left at a
point is a combination of a few elements, whatever the prices are:

    w - sum y s (beta - bend g) x  -  reward sum y s x  +  spread sum y s (g - Mean(g)) x

and, where an intercept asks the forces to balance, taking a part ``t y`` of its slack, the
distance to the nearer bound, from each dual variable adds ``t sum s slack x``. With the
inner products of these elements the certificate of the point at any prices costs a
few multiplications. Losses must be one-sided: there the gap is linear in such a change.
"""

import numpy as np

from largemargin.problem.certificate import Certificate


class Nearby:
    """What certifies a solution at other prices of mean and variance."""

    def __init__(self, problem, solution):
        sign, weight, margins = problem.sign, problem.weight, solution.margins
        signed = sign * weight
        centred = problem.centred(margins)
        forces = signed * (solution.beta - problem.bend * margins)
        floor, cap = problem.box
        slack = weight * np.minimum(solution.beta - floor, cap - solution.beta)
        self.total = problem.total
        self.mean = problem.mean(margins)
        self.variance = problem.mean(centred**2)
        # At zero prices of mean and variance, which are those that change.
        fixed = problem.at(problem.prices._replace(lambda_var=0.0, lambda_mean=0.0))
        norm = problem.design.inner(solution.w, solution.w, solution.scores)
        self.terms = fixed.terms(margins, solution.offset, solution.beta, norm)
        # How the sum of all forces depends on reward and spread, and what shifts do.
        own = forces.sum() - problem.prices.intercept
        self.pulls = np.array([own, signed.sum(), -(signed @ centred)])
        self.slack = slack.sum() if problem.fit_intercept else None
        self.shift_gap = -(slack @ (sign * (margins - problem.loss.kink)))
        design = problem.design
        parts = [forces, -signed, signed * centred]
        parts += [slack] if problem.fit_intercept else []
        elements = [design.combine(part) for part in parts]
        elements[0] = solution.w - elements[0]
        both = [(element, design.scores(element)) for element in elements]
        self.products = np.array([[design.inner(v, *w) for w in both] for v in elements])
        self.own_mixture = self._mixture(problem.prices)

    def _mixture(self, prices):
        """Return how the gradient at these prices is made up of the elements."""
        reward, spread = (
            prices.lambda_mean / self.total,
            4.0 * prices.lambda_var / self.total,
        )
        parts = np.array([1.0, reward, spread])
        if self.slack is None:
            return parts
        return np.append(parts, self._balancing_shift(parts @ self.pulls))

    def distance(self, prices):
        """Return how far the optimum may lie from that at the solution's own prices.

        The objective curves at least like ``|w|^2 / 2``, so that is no farther than the
        gradient changes; NaN if the bounds do not allow to tell.
        """
        change = self._mixture(prices) - self.own_mixture
        return np.sqrt(max(change @ self.products @ change, 0.0))

    def certify(self, prices):
        """Return the certificate of the solution at these prices."""
        mixture = self._mixture(prices)
        gap = self.terms.gap + 0.5 * max(mixture @ self.products @ mixture, 0.0)
        if self.slack is not None:
            gap += mixture[-1] * self.shift_gap
        terms = self.terms._replace(
            quadratic=self.terms.quadratic + 2.0 * prices.lambda_var * self.variance,
            reward=self.terms.reward + prices.lambda_mean * self.mean,
        )
        gap = np.inf if np.isnan(gap) else max(gap, 0.0)
        return Certificate(terms.primal, gap, terms.scale)

    def _balancing_shift(self, imbalance):
        """Return the shift that balances the forces, NaN if the bounds do not allow it."""
        if imbalance == 0:
            return 0.0
        return imbalance / self.slack if abs(imbalance) <= self.slack else np.nan

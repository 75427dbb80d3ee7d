"""One solution, judged at other prices of the margin distribution.

At a given C the prices enter the forces of the rows linearly, so the gradient left at a
point is a combination of a few elements, whatever the prices are:

    w - sum y s beta x  -  reward sum y s x  +  spread sum y s (g - Mean(g)) x

and, where an intercept asks the forces to balance, taking a part ``t y`` of its slack, the
distance to the nearer bound, from each dual variable adds ``t sum s slack x``. With the
inner products of these four elements the certificate of the point at any prices costs a
few multiplications.
"""

import numpy as np

from largemargin.certificate import Certificate


class Nearby:
    """What certifies a solution at other prices, C being the same."""

    def __init__(self, problem, solution):
        y, weight, margins = problem.y, problem.weight, solution.margins
        signed = y * weight
        centred = problem.centred(margins)
        forces = signed * solution.beta
        slack = weight * np.minimum(solution.beta, problem.C - solution.beta)
        self.total = problem.total
        self.mean = problem.mean(margins)
        self.variance = problem.mean(centred**2)
        self.loss, self.complementarity = problem.loss_terms(margins, solution.beta)
        # How the sum of all forces depends on reward and spread, and what shifts do.
        self.pulls = np.array([forces.sum(), signed.sum(), -(signed @ centred)])
        self.slack = slack.sum() if problem.fit_intercept else None
        self.shift_gap = -(slack @ (y * (margins - 1.0)))
        design = problem.design
        parts = [forces, -signed, signed * centred]
        parts += [slack] if problem.fit_intercept else []
        elements = [design.combine(part) for part in parts]
        elements[0] = solution.w - elements[0]
        both = [(element, design.scores(element)) for element in elements]
        self.products = np.array([[design.inner(v, *w) for w in both] for v in elements])
        self.norm = design.inner(solution.w, solution.w, solution.scores)
        self.own_mixture = self._mixture(problem.lambda_var, problem.lambda_mean)

    def _mixture(self, lambda_var, lambda_mean):
        """Return how the gradient at these prices is made up of the elements."""
        parts = np.array([1.0, lambda_mean / self.total, 4.0 * lambda_var / self.total])
        if self.slack is None:
            return parts
        return np.append(parts, self._balancing_shift(parts @ self.pulls))

    def distance(self, lambda_var, lambda_mean):
        """Return how far the optimum may lie from that at the solution's own prices.

        The objective curves at least like ``|w|^2 / 2``, so that is no farther than the
        gradient changes; NaN if the bounds do not allow to tell.
        """
        change = self._mixture(lambda_var, lambda_mean) - self.own_mixture
        return np.sqrt(max(change @ self.products @ change, 0.0))

    def certify(self, lambda_var, lambda_mean):
        """Return the certificate of the solution at these prices."""
        mixture = self._mixture(lambda_var, lambda_mean)
        gap = self.complementarity + 0.5 * max(mixture @ self.products @ mixture, 0.0)
        if self.slack is not None:
            gap += mixture[-1] * self.shift_gap
        quadratic = 0.5 * self.norm + 2.0 * lambda_var * self.variance
        reward = lambda_mean * self.mean
        return Certificate(
            quadratic - reward + self.loss,
            np.inf if np.isnan(gap) else max(gap, 0.0),
            quadratic + abs(reward) + self.loss,
        )

    def _balancing_shift(self, imbalance):
        """Return the shift that balances the forces, NaN if the bounds do not allow it."""
        if imbalance == 0:
            return 0.0
        return imbalance / self.slack if abs(imbalance) <= self.slack else np.nan

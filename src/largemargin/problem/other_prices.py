"""Certificates of one solution at other prices of the mean and the variance.

At a given C these prices enter the forces of the rows linearly, so that the gradient at a
point is a combination of the same few elements at all prices:

    w - sum y s (beta - bend g) x  -  reward sum y s x  +  spread sum y s (g - Mean(g)) x

With an intercept the forces must balance. Moving each dual variable by ``-t y`` times its
slack, the distance from its nearer bound, adds ``t sum s slack x``. Given the inner
products of these elements, the certificate at any prices costs a few multiplications. The
loss must be one-sided: then the gap is a parabola in ``t``, see ``Loss.is_one_sided``.
"""

import numpy as np

from largemargin.problem.certificate import Certificate


class OtherPrices:
    """Certifies a solution of a problem at other prices of mean and variance."""

    def __init__(self, problem, solution):
        sign, weight, margins = problem.sign, problem.weight, solution.margins
        signed = sign * weight
        centred = problem.centred(margins)
        forces = signed * (solution.beta - problem.bend * margins)
        floor, cap = problem.box
        slack = np.minimum(solution.beta - floor, cap - solution.beta)
        slope = margins - problem.loss.kink + problem.ridge * solution.beta
        # What a shift by t adds to the gap: t times the first, t^2 times the second.
        self.shift_gap = -(weight * slack) @ (sign * slope)
        self.shift_bend = 0.5 * problem.ridge * (weight @ slack**2)
        slack = weight * slack
        self.total = problem.total
        self.mean = problem.mean(margins)
        self.variance = problem.mean(centred**2)
        # Without the terms whose prices change.
        fixed = problem.at(problem.prices._replace(lambda_var=0.0, lambda_mean=0.0))
        norm = problem.design.inner(solution.w, solution.w, solution.scores)
        self.terms = fixed.terms(margins, solution.offset, solution.beta, norm)
        # The sum of all forces as a linear function of reward and spread.
        own = forces.sum() - problem.prices.intercept
        self.pulls = np.array([own, signed.sum(), -(signed @ centred)])
        self.slack = slack.sum() if problem.fit_intercept else None
        design = problem.design
        parts = [forces, -signed, signed * centred]
        parts += [slack] if problem.fit_intercept else []
        elements = [design.combine(part) for part in parts]
        elements[0] = solution.w - elements[0]
        both = [(element, design.scores(element)) for element in elements]
        self.products = np.array([[design.inner(v, *w) for w in both] for v in elements])
        self.own_mixture = self._mixture(problem.prices)

    def _mixture(self, prices):
        """Return the coefficients of the elements in the gradient at these prices.

        The last one is the shift that balances the forces, NaN if it is out of bounds.
        """
        reward, spread = prices.lambda_mean, 4.0 * prices.lambda_var
        parts = np.array([1.0, reward / self.total, spread / self.total])
        if self.slack is None:
            return parts
        imbalance = parts @ self.pulls
        if imbalance == 0:
            return np.append(parts, 0.0)
        is_possible = abs(imbalance) <= self.slack
        return np.append(parts, imbalance / self.slack if is_possible else np.nan)

    def distance(self, prices) -> float:
        """Return a bound of how far the optimum moves from its own prices to these.

        The objective is at least as curved as ``|w|^2 / 2``, so that the optimum moves by
        no more than the gradient changes. NaN if the forces cannot be balanced.
        """
        change = self._mixture(prices) - self.own_mixture
        return np.sqrt(max(change @ self.products @ change, 0.0))

    def certify(self, prices) -> Certificate:
        """Return the certificate of the solution at these prices."""
        mixture = self._mixture(prices)
        gap = self.terms.gap + 0.5 * max(mixture @ self.products @ mixture, 0.0)
        if self.slack is not None:
            shift = mixture[-1]
            gap += shift * self.shift_gap + shift**2 * self.shift_bend
        terms = self.terms._replace(
            quadratic=self.terms.quadratic + 2.0 * prices.lambda_var * self.variance,
            reward=self.terms.reward + prices.lambda_mean * self.mean,
        )
        gap = np.inf if np.isnan(gap) else max(gap, 0.0)
        return Certificate(terms.primal, gap, terms.scale)

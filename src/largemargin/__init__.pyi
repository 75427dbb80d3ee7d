from largemargin.compared.komd import KOMDClassifier as KOMDClassifier
from largemargin.compared.mamc import MAMCClassifier as MAMCClassifier
from largemargin.compared.mdo import MDOClassifier as MDOClassifier
from largemargin.compared.odm import ODMClassifier as ODMClassifier
from largemargin.compared.odm_cv import ODMClassifierCV as ODMClassifierCV
from largemargin.estimators.ldm import LDMClassifier as LDMClassifier
from largemargin.estimators.ldm_cv import LDMClassifierCV as LDMClassifierCV
from largemargin.estimators.ldm_regressor import LDMRegressor as LDMRegressor
from largemargin.estimators.ldm_regressor_cv import LDMRegressorCV as LDMRegressorCV
from largemargin.estimators.linear_ldm import LinearLDMClassifier as LinearLDMClassifier
from largemargin.estimators.linear_ldm_cv import (
    LinearLDMClassifierCV as LinearLDMClassifierCV,
)
from largemargin.estimators.linear_ldm_regressor import (
    LinearLDMRegressor as LinearLDMRegressor,
)
from largemargin.estimators.linear_ldm_regressor_cv import (
    LinearLDMRegressorCV as LinearLDMRegressorCV,
)
from largemargin.estimators.one_class import OneClassLDM as OneClassLDM
from largemargin.inspection.displays.convergence import (
    ConvergenceDisplay as ConvergenceDisplay,
)
from largemargin.inspection.displays.leave_one_out import (
    LeaveOneOutDisplay as LeaveOneOutDisplay,
)
from largemargin.inspection.displays.margin_distribution import (
    MarginDistributionDisplay as MarginDistributionDisplay,
)
from largemargin.inspection.displays.price_influence import (
    PriceInfluenceDisplay as PriceInfluenceDisplay,
)
from largemargin.inspection.displays.residual_distribution import (
    ResidualDistributionDisplay as ResidualDistributionDisplay,
)
from largemargin.inspection.leave_one_out import leave_one_out_bound as leave_one_out_bound
from largemargin.inspection.leave_one_out import leave_one_out_error as leave_one_out_error
from largemargin.inspection.leave_one_out import (
    leave_one_out_residuals as leave_one_out_residuals,
)
from largemargin.inspection.margins import MarginDistribution as MarginDistribution
from largemargin.inspection.margins import margin_distribution as margin_distribution
from largemargin.inspection.residuals import ResidualDistribution as ResidualDistribution
from largemargin.inspection.residuals import residual_distribution as residual_distribution
from largemargin.production import model_files as model_files
from largemargin.production.calibration import CalibratedMachine as CalibratedMachine
from largemargin.production.calibration import calibrate as calibrate
from largemargin.production.onnx import to_onnx as to_onnx

__version__: str

"""Writes models of scikit-learn as skl2onnx converts them: export_sklearn.py FOLDER"""
import sys

import numpy
from skl2onnx import to_onnx
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler
from sklearn.svm import SVC, SVR

iris, diabetes = load_iris(return_X_y=True), load_diabetes(return_X_y=True)
MODELS = {
    "sk_logistic": (LogisticRegression(max_iter=500), iris),
    "sk_linear": (LinearRegression(), diabetes),
    "sk_svm": (SVC(), iris),
    "sk_svm_probability": (SVC(probability=True, random_state=7), iris),
    "sk_svr": (SVR(), diabetes),
    "sk_forest": (RandomForestClassifier(20, random_state=7), iris),
    "sk_forest_regressor": (RandomForestRegressor(20, random_state=7), diabetes),
    "sk_boosting": (GradientBoostingClassifier(random_state=7), iris),
    "sk_boosting_regressor": (GradientBoostingRegressor(random_state=7), diabetes),
    "sk_mlp": (MLPClassifier((100, 50), max_iter=50, random_state=7), iris),
    "sk_mlp_regressor": (MLPRegressor(hidden_layer_sizes=(64,), max_iter=50, random_state=7), diabetes),
    "sk_scaled_logistic": (make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)), iris),
    "sk_scaled_mlp": (make_pipeline(MinMaxScaler(), Normalizer(), MLPClassifier((32,), max_iter=50, random_state=7)), iris),
}

for name, (model, (samples, answers)) in MODELS.items():
    samples = samples.astype(numpy.float32)
    model.fit(samples, answers)
    converted = to_onnx(model, samples[:1], options={"zipmap": False} if hasattr(model, "classes_") else None,
                        target_opset={"": 15, "ai.onnx.ml": 3})
    with open(f"{sys.argv[1]}/{name}.onnx", "wb") as file:
        file.write(converted.SerializeToString())

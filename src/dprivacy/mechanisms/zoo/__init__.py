"""The bug zoo: broken twins of our mechanisms, and what catches each of them.

Every exhibit is a mistake that was made somewhere. Its detector must catch the broken twin and stay
silent on the healthy one; `dprivacy zoo` shows it, and the tests hold it.
"""

from dprivacy.mechanisms.zoo.exhibit import Exhibit, Finding
from dprivacy.mechanisms.zoo.tour import exhibits

__all__ = ["Exhibit", "Finding", "exhibits"]

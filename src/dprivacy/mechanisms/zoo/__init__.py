"""The bug zoo: broken twins of our mechanisms, and what catches each of them.

Every exhibit is a mistake that was made somewhere. Its detector must catch the broken twin and stay
silent on the healthy one; `dprivacy zoo` shows it, and the tests hold it.
"""

from dprivacy.mechanisms.zoo.broken_samplers__mechanisms_zoo_tour import exhibits as exhibits
from dprivacy.mechanisms.zoo.exhibit import Exhibit as Exhibit, Finding as Finding

"""What a release without order and names protects: the privacy blanket, certified."""

"""What solves and proves: exact vertices, the interior point, certified integers and lower bounds."""
